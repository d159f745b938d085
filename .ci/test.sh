#!/usr/bin/env bash
# Every test: units, integration, examples, documentation, then the loom models and the schedules. Its last line sums all of
# them up.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Tests of the pages look at them in Chromium. It comes while the tests are built.
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (apt-get install -y -qq chromium || { apt-get update -qq && apt-get install -y -qq chromium; }) >/dev/null 2>&1 &
    cargo test --workspace --all-targets --no-run || true
    wait $! || true
fi
# Where it cannot be installed from here, all but those tests is run, and the last lines say so.
skipped=
if [ -z "${CHROME-}" ] && ! command -v chromium chromium-browser google-chrome-stable >/dev/null; then
    export EVENWEAVE_NO_BROWSER=1
fi
if [ -n "${EVENWEAVE_NO_BROWSER-}" ]; then
    skipped="test: NO BROWSER: the tests of pages are SKIPPED; install Chromium (apt-get install chromium) and run them"
    echo "$skipped" >&2
fi

code=0
# Targets and documentation examples in two calls, so that both are run and counted even when one of them fails. The faults are among them: for its
# tests the core depends on itself with that feature.
cargo test --workspace --all-targets --no-fail-fast 2>&1 | tee -a "$log" || code=1
cargo test --workspace --doc --no-fail-fast 2>&1 | tee -a "$log" || code=1
for models in loom shuttle; do
    bash ".ci/$models.sh" 2>&1 | tee -a "$log" || code=1
done

if [ $code = 0 ]; then verdict=passed; else verdict=FAILED; fi
[ -z "$skipped" ] || echo "$skipped" >&2
echo "test: $verdict, $((SECONDS - start)) s"
awk '
    /^test result:/ {
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^passed/) passed += $(i - 1)
            if ($i ~ /^failed/) failed += $(i - 1)
        }
    }
    END { printf "tests: %d passed, %d failed\n", passed, failed }
' "$log"
exit $code
