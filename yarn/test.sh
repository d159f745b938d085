#!/bin/sh
# test.sh [--debug] [fair|capacity]... : builds the jar, then runs the checks on a real cluster, the sessions in lockstep with Hadoop's class, what the web
# application says, and Hadoop's own tests, with each class. Ends with 0 where all checks pass, all sessions are the same, and what failed of Hadoop's own tests stands in
# yarn/hadoop-tests/expected-KIND.txt. Needs cargo, Maven, JDK 17, Linux; build output and work folders lie under TMPDIR. RM_SESSIONS: how many
# (100; with the CapacityScheduler 86, for in the next one Hadoop's class loops for ever in a heartbeat).
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
echo "== the native library is found"
RM_EXTRA_CP=$jar "$here/loading/run.sh" || rc=1
for kind in "$@"; do
  case $kind in
    fair) class=io.evenweave.yarn.EvenweaveFairScheduler sessions=100;;
    capacity) class=io.evenweave.yarn.EvenweaveCapacityScheduler sessions=86;;
    *) echo "test.sh: $kind is neither fair nor capacity" >&2; exit 2;;
  esac
  echo "== checks on a real cluster: $class"
  RM_KIND=$kind RM_EXTRA_CP=$jar RM_WORK="$tmp/checks-$kind" "$here/checks/run.sh" $class || rc=1
  echo "== in lockstep with Hadoop's class: $class"
  RM_EXTRA_CP=$jar RM_LOCKSTEP_WORK="$tmp/lockstep-$kind" "$here/lockstep/run.sh" "$kind" "${RM_SESSIONS:-$sessions}" | tail -n 40 || true
  [ -e "$tmp/lockstep-$kind/same" ] || rc=1
  if [ $kind = fair ]; then
    echo "== an allocation file on one of Hadoop's file systems: $class"
    RM_EXTRA_CP=$jar RM_LOCKSTEP_WORK="$tmp/lockstep-files" "$here/lockstep/run.sh" files || rc=1
  fi
  echo "== the web application: $class"
  RM_EXTRA_CP=$jar RM_WORK="$tmp/web-$kind" "$here/web/run.sh" "$kind" || rc=1
  echo "== Hadoop's own tests: $class"
  RM_MUTE=yes RM_KIND=$kind RM_EXTRA_CP=$jar RM_TEST_WORK="$tmp/tests-$kind" "$here/hadoop-tests/run.sh" $class || true
  "$here/hadoop-tests/compare.sh" "$tmp/tests-$kind" "$here/hadoop-tests/expected-$kind.txt" || rc=1
done
exit $rc
