#!/bin/sh
# run.sh : whether the native library is found: in the jar; in java.library.path where the temporary folder is mounted noexec or is not there, and
# where the jar has none or a broken one; and what is said where it is nowhere. By environment: RM_EXTRA_CP, the jar (needed); RM_CP, a class path
# file at hand. To mount a folder noexec, it takes a namespace of its own (unshare, as root or with user namespaces); where it may not, it says so
# and fails.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${RM_EXTRA_CP:?the jar of yarn/build.sh}"
work=${TMPDIR:-/tmp}/rm-loading-$(id -u)
installed=-Djava.library.path=$work/installed
cp=${RM_CP:-$work/../rm-loading-cp-$(id -u).txt}
rc=0
# try WHAT EXPECTED CLASSES TMP [OPTION] : EXPECTED is a pattern of the shell for what is said.
try() {
  what=$1 expected=$2 classes=$3 tmp=$4; shift 4
  said=$(java -XX:TieredStopAtLevel=1 -Djava.io.tmpdir="$tmp" "$@" -cp "$work/classes:$classes:$(cat "$cp")" io.evenweave.yarn.Loading 2>"$work/stderr.txt" || true)
  # shellcheck disable=SC2254
  case $said in
    $expected) echo "ok $what";;
    *) echo "FAILED $what: $said"; rc=1;;
  esac
}
# The part in the namespace of its own, which this script itself starts.
if [ "${1:-}" = noexec ]; then
  mount -t tmpfs -o noexec none "$work/noexec"
  try "noexec" "not loaded: *noexec*java.library.path*unpack*" "$work/jar" "$work/noexec"
  try "noexec, and a library installed" loaded "$work/jar" "$work/noexec" "$installed"
  exit $rc
fi
rm -rf "$work"; mkdir -p "$work/classes" "$work/tmp" "$work/noexec" "$work/jar" "$work/installed"
[ -s "$cp" ] || mvn -q -B -f "$here/../checks/pom.xml" dependency:build-classpath -Dmdep.outputFile="$cp"
javac -d "$work/classes" -cp "$RM_EXTRA_CP:$(cat "$cp")" "$here"/src/main/java/io/evenweave/yarn/*.java
printf 'log4j.rootLogger=OFF\n' > "$work/classes/log4j.properties"
(cd "$work/jar" && jar xf "$RM_EXTRA_CP")
library=$(find "$work/jar" -path "*-$(uname -m)/*.so")
cp "$library" "$work/installed/"
# The same with a library that is none, and without any.
cp -r "$work/jar" "$work/broken"; echo nothing > "$work/broken/${library#"$work/jar/"}"
cp -r "$work/jar" "$work/bare"; rm "$work/bare/${library#"$work/jar/"}"
try "the jar's own" loaded "$work/jar" "$work/tmp"
try "no temporary folder" "not loaded: *unpacked*java.library.path*" "$work/jar" "$work/nowhere"
try "no temporary folder, and a library installed" loaded "$work/jar" "$work/nowhere" "$installed"
try "a broken library" "not loaded: *cannot be loaded*java.library.path*" "$work/broken" "$work/tmp"
try "a broken library, and one installed" loaded "$work/broken" "$work/tmp" "$installed"
try "a jar without" "not loaded: this jar has no native library*java.library.path*" "$work/bare" "$work/tmp"
try "an architecture that the jar lacks" "not loaded: this jar has no native library of Evenweave for linux-riscv64 (os.arch is riscv64); it has \
linux-*java.library.path*yarn/build.sh*" "$work/jar" "$work/tmp" -Dos.arch=riscv64
try "a jar without, and one installed" loaded "$work/bare" "$work/tmp" "$installed"
[ -z "$(ls "$work/tmp")" ] || { echo "FAILED the temporary folder is not empty: $(ls "$work/tmp")"; rc=1; }
unshare=unshare
[ "$(id -u)" = 0 ] || unshare="unshare -r"
if $unshare -m true 2>/dev/null; then
  RM_CP="$cp" $unshare -m "$0" noexec || rc=1
else
  echo "FAILED noexec: not tried, because this user may not mount anything (unshare -m)"
  rc=1
fi
exit $rc
