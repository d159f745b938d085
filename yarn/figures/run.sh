#!/bin/sh
# run.sh [ROUNDS [NODES...]] : containers/s and processor time of a whole ResourceManager over simulated nodes in one Java machine: Hadoop's Fair, Capacity and
# Fifo schedulers and Evenweave's, in turn. The FifoScheduler gives to the first application that asks, and thinks of nothing: it is near what the
# ResourceManager itself can do. By environment: RM_EXTRA_CP, the jar; RM_TEST_CP; RM_SECONDS (20); RM_CLASSES, others than these five.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-2}; [ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1000 5000
tmp=${TMPDIR:-/tmp}
work=${RM_FIGURES_WORK:-$tmp/rm-figures-$(id -u)}
rm -rf "$work"; mkdir -p "$work/classes" "$work/conf"
cp=${RM_TEST_CP:-$work/../rm-figures-cp-$(id -u).txt}
[ -s "$cp" ] || mvn -q -B -f "$here/../hadoop-tests/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
find "$here/src" -name '*.java' | xargs javac -nowarn -XDsuppressNotes -Xlint:-options -d "$work/classes" -cp "$(cat "$cp")"
printf 'log4j.rootLogger=ERROR,F\nlog4j.appender.F=org.apache.log4j.FileAppender\nlog4j.appender.F.file=%s/log.txt\nlog4j.appender.F.layout=org.apache.log4j.SimpleLayout\n' "$work" > "$work/conf/log4j.properties"
printf '<configuration><property><name>hadoop.security.token.service.use_ip</name><value>false</value></property></configuration>\n' > "$work/conf/core-site.xml"
hadoops=org.apache.hadoop.yarn.server.resourcemanager.scheduler
classes=${RM_CLASSES:-"$hadoops.fair.FairScheduler io.evenweave.yarn.EvenweaveFairScheduler $hadoops.capacity.CapacityScheduler io.evenweave.yarn.EvenweaveCapacityScheduler $hadoops.fifo.FifoScheduler"}
cd "$work"
for nodes in "$@"; do
  for round in $(seq "$rounds"); do
    for class in $classes; do
      java -Xmx4g -XX:+UseParallelGC -Djava.net.preferIPv4Stack=true -Djava.util.logging.config.file=/dev/null \
        --add-opens java.base/java.lang=ALL-UNNAMED -Dlog4j.configuration="file:$work/conf/log4j.properties" ${RM_OPTS:-} \
        -cp "$work/classes:$work/conf${RM_EXTRA_CP:+:$RM_EXTRA_CP}:$(cat "$cp")" figures.Figures "$class" "$nodes" "${RM_SECONDS:-20}" "$work" 2>>"$work/stderr.txt"
    done
  done
done
