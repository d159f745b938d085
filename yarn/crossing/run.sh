#!/bin/sh
# run.sh [OPTIONS of JMH] : what one crossing from Java into the native library and back costs, by JMH: an empty one, a heartbeat that finds nothing to do,
# an AM's call, and a heartbeat that gives a container and ends one. By environment: RM_EXTRA_CP, the jar (needed); RM_CROSSING_CP, a class path file at hand.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${RM_EXTRA_CP:?the jar of yarn/build.sh}"
work=${RM_CROSSING_WORK:-${TMPDIR:-/tmp}/rm-crossing-$(id -u)}
rm -rf "$work"; mkdir -p "$work/classes"
cp=${RM_CROSSING_CP:-$work/../rm-crossing-cp-$(id -u).txt}
[ -s "$cp" ] || mvn -q -B -f "$here/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
full=$RM_EXTRA_CP:$(cat "$cp")
find "$here/src" -name '*.java' | xargs javac -nowarn -XDsuppressNotes -Xlint:-options -processor org.openjdk.jmh.generators.BenchmarkProcessor -d "$work/classes" -cp "$full"
printf 'log4j.rootLogger=OFF\n' > "$work/classes/log4j.properties"
cd "$work"
exec java -cp "$work/classes:$full" org.openjdk.jmh.Main Crossing "$@"
