#!/bin/sh
# memory.sh [APPLICATIONS] : so many applications (10000) through one ResourceManager, with Hadoop's Fair and Capacity schedulers and with Evenweave's: what the
# Java heap and the process hold after each thousand. By environment: RM_EXTRA_CP, the jar; RM_TEST_CP; RM_CLASSES, others than these four.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${RM_FIGURES_WORK:-${TMPDIR:-/tmp}/rm-memory-$(id -u)}
. "$here/classpath.sh"
classes=${RM_CLASSES:-"$hadoops.fair.FairScheduler io.evenweave.yarn.EvenweaveFairScheduler $hadoops.capacity.CapacityScheduler io.evenweave.yarn.EvenweaveCapacityScheduler"}
for class in $classes; do
  # A heap of one size, so that what else the process holds can be seen.
  run_java -Xms512m -Xmx512m -XX:+AlwaysPreTouch -XX:+UseSerialGC -- figures.ManyApplications "$class" "${1:-10000}" "$work"
done
