#!/usr/bin/env bash
# Fuzz targets: first every kept crash, then its seeds and some seconds beyond, from a fixed random seed and guided by coverage; see
# fuzz/README.md. Needs a C++ compiler, but neither nightly nor cargo-fuzz.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
start=$SECONDS

known=()
for file in fuzz_targets/*.rs; do known+=("$(basename "$file" .rs)"); done
usage() {
    {
        echo "fuzz: $1"
        echo "usage: .ci/fuzz.sh [SECONDS [TARGET...]]"
        echo "  SECONDS  for each target, a whole number from 1; 4 without it"
        echo "  TARGET   all without any, or of: ${known[*]}"
    } >&2
    exit 2
}
seconds="${1:-4}"
[[ "$seconds" =~ ^[1-9][0-9]{0,6}$ ]] || usage "SECONDS is to be a whole number from 1 to 9999999, and is \"$seconds\""
targets=("${@:2}")
[ ${#targets[@]} != 0 ] || targets=("${known[@]}")
for target in "${targets[@]}"; do
    [ -f "fuzz_targets/$target.rs" ] || usage "there is no target \"$target\""
done

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

limits=(-timeout=20 -rss_limit_mb=1024)
for target in "${targets[@]}"; do
    program="$CARGO_TARGET_DIR/$host/debug/$target"
    mkdir -p "corpus/$target" "artifacts/$target" "$scratch/$target"
    kept=0
    for crash in crashes/"$target"/*; do
        [ -f "$crash" ] || continue
        if ! "$program" "$crash" "${limits[@]}" >"$scratch/$target.log" 2>&1; then
            tail -n 40 "$scratch/$target.log"
            echo "fuzz: $target fails again on fuzz/$crash, which it had failed on before" >&2
            exit 1
        fi
        kept=$((kept + 1))
    done
    tar -xzf "seeds/$target.tar.gz" -C corpus
    # New inputs go into the first directory, so that the next run is the same.
    if ! "$program" "$scratch/$target" "corpus/$target" \
        -dict="dictionaries/$target.dict" -artifact_prefix="artifacts/$target/" \
        -seed=1 -max_total_time="$seconds" "${limits[@]}" -max_len=16384 \
        >"$scratch/$target.log" 2>&1; then
        tail -n 40 "$scratch/$target.log"
        echo "fuzz: $target failed; what it failed on is the newest file in fuzz/artifacts/$target: keep it in fuzz/crashes/$target" >&2
        exit 1
    fi
    echo "fuzz: $target: $kept kept crashes pass; $(grep '^Done' "$scratch/$target.log")"
done
