#!/bin/sh
# test.sh [--debug] [fair|capacity]... : builds the jar, then runs the checks on a real cluster and Hadoop's own tests with each class.
# Ends with 0 where all checks pass. What failed of Hadoop's own tests is listed; it is compared where yarn/hadoop-tests/expected-KIND.txt says
# what is known to fail. Needs cargo, Maven, JDK 17, Linux; build output and work folders lie under TMPDIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
debug=
[ "${1:-}" != --debug ] || { debug=--debug; shift; }
[ $# -gt 0 ] || set -- fair capacity
tmp=${TMPDIR:-/tmp}/evenweave-yarn-$(id -u)
mkdir -p "$tmp"
export TMPDIR="$tmp"
jar=$("$here/build.sh" $debug)
rc=0
for kind in "$@"; do
  case $kind in
    fair) class=io.evenweave.yarn.EvenweaveFairScheduler;;
    capacity) class=io.evenweave.yarn.EvenweaveCapacityScheduler;;
    *) echo "test.sh: $kind is neither fair nor capacity" >&2; exit 2;;
  esac
  echo "== checks on a real cluster: $class"
  RM_KIND=$kind RM_EXTRA_CP=$jar RM_WORK="$tmp/checks-$kind" "$here/checks/run.sh" $class || rc=1
  echo "== Hadoop's own tests: $class"
  RM_MUTE=yes RM_KIND=$kind RM_EXTRA_CP=$jar RM_TEST_WORK="$tmp/tests-$kind" "$here/hadoop-tests/run.sh" $class || true
  expected="$here/hadoop-tests/expected-$kind.txt"
  if [ -f "$expected" ]; then
    "$here/hadoop-tests/compare.sh" "$tmp/tests-$kind" "$expected" || rc=1
  fi
done
exit $rc
