#!/bin/sh
# run.sh fair|capacity [PART...] : what the ResourceManager's web application and JMX say with Evenweave's class, held against Hadoop's class of
# the kind: whole ResourceManagers, each a process of its own, with the same configuration and the same requests. run.sh --list names the parts.
# Ends with 0 where nothing differs. By environment: RM_EXTRA_CP, the jar (needed); RM_CP, a class path file at hand; RM_WORK, the work folder,
# emptied first (default: under $TMPDIR), where the logs stay; RM_OTHER, another class to hold against Hadoop's (Hadoop's own: the test of the test).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n 2,6p "$0" >&2; exit 2; }
: "${RM_EXTRA_CP:?the jar of yarn/build.sh}"
tmp=${TMPDIR:-/tmp}
build=$tmp/rm-web-build-$(id -u)
work=${RM_WORK:-$tmp/rm-web-$(id -u)}
mkdir -p "$build/classes"
cp=${RM_CP:-$build/cp.txt}
[ -s "$cp" ] || mvn -q -B -f "$here/../checks/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
javac -nowarn -XDsuppressNotes -Xlint:-options -d "$build/classes" -cp "$(cat "$cp")" "$here"/src/main/java/web/*.java
rm -rf "$work"
mkdir -p "$work/conf"
printf 'log4j.rootLogger=OFF\n' > "$work/conf/log4j.properties"
cd "$work"
exec java -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --add-opens java.base/java.lang=ALL-UNNAMED -Djava.net.preferIPv4Stack=true \
  -Djava.util.logging.config.file=/dev/null -Dlog4j.configuration="file:$work/conf/log4j.properties" -Dweb.work="$work" -Dweb.jar="$RM_EXTRA_CP" \
  -Dweb.other="${RM_OTHER:-}" -Dweb.classpath="$build/classes:$(cat "$cp")" -cp "$build/classes:$(cat "$cp")" web.Main "$@"
