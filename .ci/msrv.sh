#!/usr/bin/env bash
# The library builds without a warning with the oldest compiler that Cargo.toml promises, where rustup has it or can fetch it. For the
# rest clippy's `incompatible_msrv` and core/tests/oldest_compiler.rs look; `.ci/msrv.sh --workspace` builds all of it.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "msrv: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
oldest=$(sed -nE 's/^rust-version = "([^"]+)"/\1/p' Cargo.toml)
if ! rustup run "$oldest" rustc --version 2>/dev/null && ! timeout 120 rustup toolchain install "$oldest" --profile minimal >/dev/null 2>&1; then
    echo "msrv: no build with Rust $oldest, because it cannot be reached from here; clippy and core/tests/oldest_compiler.rs look at what they can"
    exit 0
fi
RUSTFLAGS="-D warnings" CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/msrv" cargo "+$oldest" check "${@:---package=evenweave}" --locked --quiet
