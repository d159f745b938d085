#!/bin/sh
# build.sh [--debug] [TARGET]... : builds the jar with the native library of this machine in it, and that of each TARGET, and says where the jar is.
# A TARGET is aarch64-unknown-linux-gnu or x86_64-unknown-linux-gnu. Needs cargo, Maven, a JDK (8 or later); for a TARGET the compiler's standard
# library, and gcc as a linker (aarch64-linux-gnu-gcc, or what CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER says).
# Libraries of other platforms that lie in target/native already go into the jar too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
profile=dist
[ "${1:-}" != --debug ] || { profile=debug; shift; }
output=${CARGO_TARGET_DIR:-$here/../target}

fail() {
  echo "build.sh: $*" >&2
  exit 1
}

# What is done now; the place of the jar alone goes to standard output.
say() {
  echo "build.sh: $*" >&2
}

# prepare TARGET : asks for what it needs, before anything is built, and names its linker to cargo.
prepare() {
  case $1 in
    aarch64-unknown-linux-gnu | x86_64-unknown-linux-gnu) ;;
    *) fail "$1 is neither aarch64-unknown-linux-gnu nor x86_64-unknown-linux-gnu";;
  esac
  std=$(cd "$here/.." && "${RUSTC:-rustc}" --print target-libdir --target "$1")
  [ -d "$std" ] || fail "the Rust compiler has no standard library for $1: rustup target add $1"
  variable=CARGO_TARGET_$(echo "$1" | tr a-z- A-Z_)_LINKER
  eval "linker=\${$variable:-${1%%-*}-linux-gnu-gcc}"
  command -v "$linker" >/dev/null || fail "there is no $linker, the linker for $1: install it (Debian's package gcc-$(echo "${1%%-*}" | tr _ -)-linux-gnu), or set $variable"
  export "$variable=$linker"
}

# library MACHINE FOLDER STRIP [CARGO'S ARGUMENTS] : builds it for Linux on MACHINE and puts it where the jar takes it from.
library() {
  machine=$1 folder=$2 strip=$3
  shift 3
  say "the native library for $machine ($([ $profile = debug ] && echo "quick to build, slow to run" || echo "quick to run: some ten minutes on two processors"))"
  (cd "$here/.." && cargo build -p evenweave-yarn $([ $profile = debug ] || echo --profile dist) "$@" >&2)
  place=$here/java/target/native/linux-$machine
  mkdir -p "$place"
  cp "$folder/$profile/libevenweave_yarn.so" "$place/"
  [ $profile = debug ] || "$strip" --strip-debug "$place/libevenweave_yarn.so" 2>/dev/null || true
}

for target in "$@"; do prepare "$target"; done
library "$(uname -m)" "$output" strip
for target in "$@"; do library "${target%%-*}" "$output/$target" "${target%%-*}-linux-gnu-strip" --target "$target"; done
say "the jar: Maven fetches Hadoop the first time, some hundred MB"
mvn -B -ntp -f "$here/java/pom.xml" package >&2
echo "$here/java/target/evenweave-yarn-0.1.0.jar"
