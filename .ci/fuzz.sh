#!/usr/bin/env bash
# Every fuzz target over its seeds and some seconds beyond, from a fixed random seed and guided by coverage; see fuzz/README.md.
# Needs a C++ compiler, but neither nightly nor cargo-fuzz. FUZZ_SECONDS=60 .ci/fuzz.sh site_file: one target, for longer.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
start=$SECONDS
scratch=$(mktemp -d)
trap 'code=$?; rm -rf "$scratch"; echo "fuzz: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT

compiler="${CXX:-c++}"
if ! command -v "$compiler" >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (apt-get install -y -qq g++ || { apt-get update -qq && apt-get install -y -qq g++; }) >/dev/null || true
fi
if ! command -v "$compiler" >/dev/null; then
    echo "fuzz: libFuzzer is built with a C++ compiler, and there is no $compiler; install one: apt-get install g++" >&2
    exit 1
fi
cargo fetch --quiet || { echo "fuzz: the crates that fuzz/Cargo.lock names cannot be had" >&2; exit 1; }

# What `cargo fuzz build --sanitizer none` sets; for the target alone, because build scripts cannot be linked with it.
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-trace-compares
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"
RUSTFLAGS="$coverage" cargo build --bins --target "$host"

targets=("$@")
if [ $# = 0 ]; then
    for file in fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi
for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target" "$scratch/$target"
    tar -xzf "seeds/$target.tar.gz" -C corpus
    # New inputs go into the first directory, so that the next run is the same.
    if ! "$CARGO_TARGET_DIR/$host/debug/$target" "$scratch/$target" "corpus/$target" \
        -dict="dictionaries/$target.dict" -artifact_prefix="artifacts/$target/" \
        -seed=1 -max_total_time="${FUZZ_SECONDS:-4}" -timeout=20 -rss_limit_mb=1024 -max_len=16384 \
        >"$scratch/$target.log" 2>&1; then
        tail -n 40 "$scratch/$target.log"
        echo "fuzz: $target failed; what it failed on is the newest file in fuzz/artifacts/$target" >&2
        exit 1
    fi
    echo "fuzz: $target: $(grep '^Done' "$scratch/$target.log")"
done
