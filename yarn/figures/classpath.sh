# classpath.sh : sourced by the scripts beside it, with `here` and `work` set. Compiles the programs, and what they share with the jar, into
# $work/classes, writes what they are configured by into $work/conf, and leaves the class path of the ResourceManager and its test classes in $cp.
rm -rf "$work"; mkdir -p "$work/classes" "$work/conf"
cp=${RM_TEST_CP:-$work/../rm-figures-cp-$(id -u).txt}
[ -s "$cp" ] || mvn -q -B -f "$here/../hadoop-tests/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
find "$here/src" -name '*.java' | xargs javac -nowarn -XDsuppressNotes -Xlint:-options -d "$work/classes" -cp "$(cat "$cp")" -sourcepath "$here/../java/src/main/java"
printf 'log4j.rootLogger=ERROR,F\nlog4j.appender.F=org.apache.log4j.FileAppender\nlog4j.appender.F.file=%s/log.txt\nlog4j.appender.F.layout=org.apache.log4j.PatternLayout\nlog4j.appender.F.layout.ConversionPattern=%%d{ISO8601} %%p %%c{1}: %%m%%n\n' "$work" > "$work/conf/log4j.properties"
printf '<configuration><property><name>hadoop.security.token.service.use_ip</name><value>false</value></property></configuration>\n' > "$work/conf/core-site.xml"
hadoops=org.apache.hadoop.yarn.server.resourcemanager.scheduler
cd "$work"

# run_java OPTIONS... -- PROGRAM ARGUMENTS...
run_java() {
  options=
  while [ "$1" != -- ]; do options="$options $1"; shift; done
  shift
  java $options -Djava.net.preferIPv4Stack=true -Djava.util.logging.config.file=/dev/null --add-opens java.base/java.lang=ALL-UNNAMED \
    -Dlog4j.configuration="file:$work/conf/log4j.properties" ${RM_OPTS:-} \
    -cp "$work/classes:$work/conf${RM_EXTRA_CP:+:$RM_EXTRA_CP}:$(cat "$cp")" "$@" 2>>"$work/stderr.txt"
}
