#!/usr/bin/env bash
# run.sh [INPUT]: Hadoop 3.4.2's Scheduler Load Simulator and `evenweave simulate --ams sls` over the same SYNTH trace, one after the other:
# seconds on the clock and of the processor, and how many jobs ended. INPUT: a folder with jobs.synth.json.gz, sls-runner.xml and
# fair-scheduler.xml (default: that of the tests). EVENWEAVE: the program (default: a release build of it). Needs Maven and JDK 17.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
input=$(cd "${1:-$root/bench/tests/data/sls/synth}" && pwd)
if [ -z "${EVENWEAVE:-}" ]; then
  cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p evenweave-cli
  EVENWEAVE=$root/target/release/evenweave
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mvn -q -B -f "$here/pom.xml" dependency:build-classpath -Dmdep.outputFile="$work/cp" >&2
mkdir "$work/conf" "$work/out"
gunzip -c "$input/jobs.synth.json.gz" > "$work/jobs.json"
cp "$input/fair-scheduler.xml" "$work/conf/"
fair=org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler
# The scheduler is wrapped by SLS; ports are the next that are free; metrics would be written to a folder of an installed Hadoop.
sed "s|</configuration>|<property><name>yarn.resourcemanager.scheduler.class</name><value>$fair</value></property>\
<property><name>yarn.scheduler.fair.allocation.file</name><value>$work/conf/fair-scheduler.xml</value></property>\
<property><name>yarn.sls.metrics.switch</name><value>OFF</value></property></configuration>|" "$input/sls-runner.xml" > "$work/conf/sls-runner.xml"
ports=
for name in address scheduler.address resource-tracker.address admin.address webapp.address; do
  ports="$ports<property><name>yarn.resourcemanager.$name</name><value>127.0.0.1:0</value></property>"
done
echo "<configuration>$ports</configuration>" > "$work/conf/yarn-site.xml"

timed() { # seconds on the clock and of the processor, of a command
  local name=$1
  shift
  TIMEFORMAT="$name: %R s on the clock, %U s of the processor and %S s of the system's"
  time "$@" > "$work/$name.out" 2> "$work/$name.err"
}
cd "$work"
timed SLS timeout 1800 java -Xmx2g --add-opens java.base/java.lang=ALL-UNNAMED -cp "$work/conf:$(cat "$work/cp")" \
  org.apache.hadoop.yarn.sls.SLSRunner -tracetype SYNTH -tracelocation "$work/jobs.json" -output "$work/out"
echo "SLS: $(($(wc -l < "$work/out/jobruntime.csv") - 1)) jobs"
timed evenweave "$EVENWEAVE" simulate "$work/jobs.json" --config "$input/fair-scheduler.xml" --site "$input/sls-runner.xml" --ams sls --times stock \
  --out "$work/ours" --quiet
echo "evenweave: $(($(wc -l < "$work/ours/jobruntime-1.csv") - 1)) jobs"
