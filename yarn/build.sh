#!/bin/sh
# build.sh [--debug] : builds the jar with the native library of this machine in it, and says where it is. Needs cargo, Maven, a JDK (8 or later).
# Libraries of other platforms that lie in target/native already go into the jar too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
profile=release
[ "${1:-}" != --debug ] || profile=debug
target=${CARGO_TARGET_DIR:-$here/../target}
(cd "$here/.." && cargo build -q -p evenweave-yarn $([ $profile = debug ] || echo --release))
machine=$(uname -m)
platform=$(uname -s | tr 'A-Z' 'a-z')-$machine
mkdir -p "$here/java/target/native/$platform"
cp "$target/$profile/libevenweave_yarn.so" "$here/java/target/native/$platform/"
[ $profile = debug ] || strip --strip-debug "$here/java/target/native/$platform/libevenweave_yarn.so" 2>/dev/null || true
mvn -q -B -f "$here/java/pom.xml" package >&2
echo "$here/java/target/evenweave-yarn-0.1.0.jar"
