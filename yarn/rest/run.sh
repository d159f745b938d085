#!/bin/sh
# run.sh [PROGRAM] : starts `evenweave serve` with each scheduler, and has Hadoop's own classes read it: the part of YARN's Router that asks a
# ResourceManager (XML), and the ResourceManager's objects (JSON). Ends with 0 where they read all. PROGRAM: an evenweave that is built
# (default: builds one). Needs Maven, JDK 17 and, without PROGRAM, cargo; build output lies under TMPDIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${TMPDIR:-/tmp}/evenweave-rest-$(id -u)
nodes=50
mkdir -p "$build/classes"
if [ $# -gt 0 ]; then
  program=$1
else
  cargo build -q --manifest-path "$here/../../Cargo.toml" -p evenweave-cli --target-dir "$here/../../target"
  program=$here/../../target/debug/evenweave
fi
[ -s "$build/cp.txt" ] || mvn -q -B -f "$here/pom.xml" dependency:build-classpath -Dmdep.outputFile="$build/cp.txt"
javac -nowarn -XDsuppressNotes -Xlint:-options -d "$build/classes" -cp "$(cat "$build/cp.txt")" "$here"/src/main/java/rest/*.java
printf 'log4j.rootLogger=OFF\n' > "$build/log4j.properties"
sed 's,<queue name="root">,&<queue name="plan"><schedulingPolicy>drf</schedulingPolicy><reservation/></queue>,' \
  "$here/../../tools/data/fair-scheduler.xml" > "$build/fair.xml"
cp "$here/../../tools/data/capacity-scheduler.xml" "$build/capacity.xml"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT
rc=0
for kind in fair capacity; do
  "$program" serve --scheduler "$kind" --config "$build/$kind.xml" -D yarn.resourcemanager.reservation-system.enable=true --nodes "$nodes" --listen 127.0.0.1:0 --for 300 > "$build/$kind.log" 2>&1 &
  server=$!
  address=
  for _ in $(seq 100); do
    address=$(sed -n 's,.*look at http://\([^/]*\)/.*,\1,p' "$build/$kind.log")
    [ -z "$address" ] || break
    sleep 0.1
  done
  [ -n "$address" ] || { cat "$build/$kind.log" >&2; exit 1; }
  echo "== $kind"
  java -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --add-opens java.base/java.lang=ALL-UNNAMED -Djava.util.logging.config.file=/dev/null \
    -Dlog4j.configuration="file:$build/log4j.properties" -cp "$build/classes:$(cat "$build/cp.txt")" \
    rest.Main "$address" "$kind" "$nodes" 2>"$build/stderr-$kind.txt" || rc=1
  kill "$server"
  server=
done
exit $rc
