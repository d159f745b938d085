#!/bin/sh
# soak.sh [CLASS [MINUTES]] : a ResourceManager with the class (EvenweaveFairScheduler) for so many minutes (20) over 200 simulated nodes, of which two a second are
# lost or fall ill, and come again; 50 masters that ask, give back, finish. Nothing may be lost: Soak.java says what is checked. Ends with 0 where it holds.
# By environment: RM_EXTRA_CP, the jar; RM_TEST_CP.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
class=${1:-io.evenweave.yarn.EvenweaveFairScheduler}
work=${RM_FIGURES_WORK:-${TMPDIR:-/tmp}/rm-soak-$(id -u)}
. "$here/classpath.sh"
if ! run_java -Xmx2g -XX:+UseParallelGC -- figures.Soak "$class" "${2:-20}" "$work"; then
  cat "$work/stderr.txt" >&2
  exit 1
fi
if grep 'ERROR Evenweave' "$work/log.txt" >&2; then
  echo "the class has logged errors: $work/log.txt" >&2
  exit 1
fi
