#!/bin/sh
# memory.sh [APPLICATIONS] : so many applications (10000) through one ResourceManager, with Hadoop's Fair and Capacity schedulers and with Evenweave's: what the
# Java heap and the process hold after each thousand. By environment: RM_EXTRA_CP, the jar; RM_TEST_CP; RM_CLASSES, others than these four.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=${TMPDIR:-/tmp}
work=${RM_FIGURES_WORK:-$tmp/rm-memory-$(id -u)}
rm -rf "$work"; mkdir -p "$work/classes" "$work/conf"
cp=${RM_TEST_CP:-$work/../rm-figures-cp-$(id -u).txt}
[ -s "$cp" ] || mvn -q -B -f "$here/../hadoop-tests/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
find "$here/src" -name '*.java' | xargs javac -nowarn -XDsuppressNotes -Xlint:-options -d "$work/classes" -cp "$(cat "$cp")"
printf 'log4j.rootLogger=ERROR,F\nlog4j.appender.F=org.apache.log4j.FileAppender\nlog4j.appender.F.file=%s/log.txt\nlog4j.appender.F.layout=org.apache.log4j.SimpleLayout\n' "$work" > "$work/conf/log4j.properties"
printf '<configuration><property><name>hadoop.security.token.service.use_ip</name><value>false</value></property></configuration>\n' > "$work/conf/core-site.xml"
hadoops=org.apache.hadoop.yarn.server.resourcemanager.scheduler
classes=${RM_CLASSES:-"$hadoops.fair.FairScheduler io.evenweave.yarn.EvenweaveFairScheduler $hadoops.capacity.CapacityScheduler io.evenweave.yarn.EvenweaveCapacityScheduler"}
cd "$work"
for class in $classes; do
  # A heap of one size, so that what else the process holds can be seen.
  java -Xms512m -Xmx512m -XX:+AlwaysPreTouch -XX:+UseSerialGC -Djava.net.preferIPv4Stack=true -Djava.util.logging.config.file=/dev/null \
    --add-opens java.base/java.lang=ALL-UNNAMED -Dlog4j.configuration="file:$work/conf/log4j.properties" ${RM_OPTS:-} \
    -cp "$work/classes:$work/conf${RM_EXTRA_CP:+:$RM_EXTRA_CP}:$(cat "$cp")" figures.ManyApplications "$class" "${1:-10000}" "$work" 2>>"$work/stderr.txt"
done
