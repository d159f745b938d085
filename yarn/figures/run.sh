#!/bin/sh
# run.sh [ROUNDS [LOAD...]] : containers/s and processor time of a whole ResourceManager over simulated nodes in one Java machine: Hadoop's Fair and Capacity
# schedulers, Evenweave's, and a ceiling, in turn. The ceiling grants at once and thinks of nothing: it is what the ResourceManager itself can do. A LOAD
# is NODES:QUEUES:APPLICATIONS. By environment: RM_EXTRA_CP, the jar; RM_TEST_CP; RM_SECONDS (20); RM_ROOM, containers that a node has room for (30);
# RM_CLASSES, others than these five. In the end comes a table of all runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-2}; [ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1000:20:100 5000:20:100 5000:100:1000 5000:10:1000
work=${RM_FIGURES_WORK:-${TMPDIR:-/tmp}/rm-figures-$(id -u)}
. "$here/classpath.sh"
classes=${RM_CLASSES:-"figures.Ceiling $hadoops.fair.FairScheduler io.evenweave.yarn.EvenweaveFairScheduler $hadoops.capacity.CapacityScheduler io.evenweave.yarn.EvenweaveCapacityScheduler"}
for load in "$@"; do
  for round in $(seq "$rounds"); do
    for class in $classes; do
      # Room for what is live, so that hardly any collection is a full one.
      run_java -Xms6g -Xmx6g -Xmn4g -XX:+UseParallelGC -- figures.Figures "$class" "${RM_SECONDS:-20}" "$work" "${RM_ROOM:-30}" $(echo "$load" | tr : ' ') >> "$work/runs.txt"
      tail -n 1 "$work/runs.txt"
    done
  done
done
awk -f "$here/table.awk" "$work/runs.txt"
