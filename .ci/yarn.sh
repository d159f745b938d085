#!/usr/bin/env bash
# A short part of yarn/test.sh, where Maven and a JDK are: the jar is built, and a few checks on a real cluster run with each class. Hadoop's own
# classes read the REST interface.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
if ! command -v mvn >/dev/null || ! command -v javac >/dev/null; then
    echo "yarn: left out, because Maven or a JDK is not here; install them: apt-get install maven openjdk-17-jdk-headless"
    exit 0
fi
trap 'code=$?; echo "yarn: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
TMPDIR=${TMPDIR:-/tmp}/evenweave-yarn-$(id -u)
export TMPDIR
mkdir -p "$TMPDIR"
jar=$(yarn/build.sh --debug)
for kind in Fair Capacity; do
    RM_KIND=${kind,,} RM_EXTRA_CP=$jar yarn/checks/run.sh "io.evenweave.yarn.Evenweave${kind}Scheduler" \
        queue-status containers locality release refresh-queues move kill preemption nonsense rm-restart
    RM_EXTRA_CP=$jar yarn/lockstep/run.sh "${kind,,}" 5
done
yarn/rest/run.sh
