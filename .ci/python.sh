#!/usr/bin/env bash
# The Python package. Its tests run with the library that the tests of the workspace have built. With --wheel [PROFILE] they run with a
# wheel that maturin builds (profile dist, for packages) and pip installs into a new environment; it stays in target/wheels.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
scratch=$(mktemp -d)
trap 'code=$?; rm -rf "$scratch"; echo "python: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tests=(pytest pandas polars matplotlib)

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    trap 'rm -rf "$scratch"' EXIT
    echo "python: NO PYTHON: the tests of the Python package are SKIPPED; install Python 3.9 or later with venv (apt-get install" \
        "python3-venv) and run them" >&2
    exit 0
fi
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

# An environment with these packages, made once.
environment() {
    local place=$1
    shift
    if [ "$(cat "$place/made-of" 2>/dev/null)" != "$*" ]; then
        rm -rf "$place"
        "$python" -m venv "$place"
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
        echo "$*" >"$place/made-of"
    fi
}

# The program is what the package is compared with. An example among the targets gives dependencies the features that the tests have, so
# that nothing is built twice.
cargo build --workspace --lib --bins --example embed --locked --quiet
export EVENWEAVE_PROGRAM="$target/debug/evenweave"

if [ "${1-}" = --wheel ]; then
    environment "$target/tools/maturin-$version" 'maturin>=1.9.4,<2'
    "$target/tools/maturin-$version/bin/maturin" build --quiet --manifest-path python/Cargo.toml --locked --profile "${2:-dist}" --out "$scratch/wheels"
    environment "$scratch/environment" "${tests[@]}"
    "$scratch/environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$scratch"/wheels/*.whl
    mkdir -p "$target/wheels"
    cp "$scratch"/wheels/*.whl "$target/wheels/"
    ls -l "$target/wheels"
    run="$scratch/environment/bin/python"
else
    environment "$target/tools/python-$version" "${tests[@]}"
    # Beside the sources it would be taken for one of them.
    cp -r python/evenweave "$scratch/evenweave"
    cp "$(ls "$target"/debug/libevenweave_python.{so,dylib} 2>/dev/null | head -n 1)" "$scratch/evenweave/_native.abi3.so"
    export PYTHONPATH=$scratch
    run="$target/tools/python-$version/bin/python"
fi
export PYTHONDONTWRITEBYTECODE=1
"$run" -m pytest --quiet -p no:cacheprovider --rootdir python -c python/pyproject.toml python/tests
