#!/usr/bin/env bash
# Every fuzz target over its seeds and some seconds beyond, from a fixed seed and guided by coverage; see fuzz/README.md.
# Needs a C++ compiler, but neither nightly nor cargo-fuzz. FUZZ_SECONDS=60 .ci/fuzz.sh site_file: one target, longer.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
start=$SECONDS
trap 'code=$?; echo "fuzz: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT

if ! command -v "${CXX:-c++}" >/dev/null; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "fuzz: libFuzzer needs a C++ compiler, and there is no ${CXX:-c++}; install one, for example: apt-get install g++" >&2
        exit 1
    fi
    apt-get install -y -qq g++ >/dev/null || { apt-get update -qq && apt-get install -y -qq g++ >/dev/null; }
fi
cargo fetch --quiet || { echo "fuzz: the crates that fuzz/Cargo.lock names cannot be had" >&2; exit 1; }

# What `cargo fuzz build --sanitizer none` sets. For the target alone: build scripts do not link with it.
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-trace-compares
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"
RUSTFLAGS="$coverage" cargo build --bins --target "$host"

found=$(mktemp -d)
trap 'code=$?; rm -rf "$found"; echo "fuzz: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
targets=("$@")
[ $# != 0 ] || for file in fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target" "$found/$target"
    tar -xzf "seeds/$target.tar.gz" -C corpus
    # New inputs go into the first directory, so that the next run is the same.
    if ! "$CARGO_TARGET_DIR/$host/debug/$target" "$found/$target" "corpus/$target" \
        -dict="dictionaries/$target.dict" -artifact_prefix="artifacts/$target/" \
        -seed=1 -max_total_time="${FUZZ_SECONDS:-5}" -timeout=20 -rss_limit_mb=1024 -max_len=16384 \
        >"$found/$target.log" 2>&1; then
        tail -n 40 "$found/$target.log"
        echo "fuzz: $target failed; the input is the newest in fuzz/artifacts/$target" >&2
        exit 1
    fi
    echo "fuzz: $target: $(grep '^Done' "$found/$target.log")"
done
