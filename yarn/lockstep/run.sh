#!/bin/sh
# run.sh fair|capacity [SESSIONS [FIRST_SEED]] : one ResourceManager with Hadoop's class and one with Evenweave's, driven by the same heartbeats
# of nodes and calls of masters, which come of the seed: the same containers on the same nodes, step by step. Ends with 0 where all are the same;
# then there is a file "same" in the work folder, too.
# run.sh files : the same with an allocation file on one of Hadoop's file systems, and what queues there are as it changes.
# By environment: RM_EXTRA_CP, the jar; RM_TEST_CP, a class path file at hand; RM_LOCKSTEP_WORK, the work folder (default: under $TMPDIR).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n 2,6p "$0" >&2; exit 2; }
tmp=${TMPDIR:-/tmp}
work=${RM_LOCKSTEP_WORK:-$tmp/rm-lockstep-$(id -u)}
rm -rf "$work"; mkdir -p "$work/classes" "$work/conf"
cp=${RM_TEST_CP:-$work/../rm-lockstep-cp-$(id -u).txt}
[ -s "$cp" ] || mvn -q -B -f "$here/../hadoop-tests/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
find "$here/src" -name '*.java' | xargs javac -nowarn -XDsuppressNotes -Xlint:-options -d "$work/classes" -cp "$(cat "$cp")"
printf 'log4j.rootLogger=ERROR,F\nlog4j.appender.F=org.apache.log4j.FileAppender\nlog4j.appender.F.file=%s/log.txt\nlog4j.appender.F.layout=org.apache.log4j.PatternLayout\nlog4j.appender.F.layout.ConversionPattern=%%d{ISO8601} %%p [%%t] %%c{1}: %%m%%n\n' "$work" > "$work/conf/log4j.properties"
printf '<configuration><property><name>hadoop.security.token.service.use_ip</name><value>false</value></property></configuration>\n' > "$work/conf/core-site.xml"
cd "$work"
exec java -Xmx2g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.net.preferIPv4Stack=true -Djava.util.logging.config.file=/dev/null \
  --add-opens java.base/java.lang=ALL-UNNAMED -Dlog4j.configuration="file:$work/conf/log4j.properties" ${RM_OPTS:-} \
  -cp "$work/classes:$work/conf${RM_EXTRA_CP:+:$RM_EXTRA_CP}:$(cat "$cp")" lockstep.Main "$1" "${2:-100}" "${3:-1}" "$work" 2>"$work/stderr.txt"
