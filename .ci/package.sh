#!/usr/bin/env bash
# What would be published: the library, the server, and the program with its library. And what .ci/dist.sh makes of the
# program, with an empty one in its place: the .deb and the .rpm are complete, the same input gives the same bytes, the
# unit is right.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
work=$(mktemp -d)
trap 'code=$?; rm -rf "$work"; echo "package: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
# All checks build this code already; `cargo publish --dry-run --workspace` builds it once more, out of the packages.
cargo publish --workspace --dry-run --no-verify --allow-dirty --locked 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
grep -E 'Packag' "$work/log"

fail() {
    echo "package: $*" >&2
    exit 1
}
export SOURCE_DATE_EPOCH=1735689600
printf '#!/bin/sh\n' >"$work/program"
for turn in first second; do
    packaging/stage.sh "$work/program" "$work/stage"
    mkdir "$work/$turn"
    packaging/packages.sh "$work/stage" amd64 "$work/$turn"
    packaging/packages.sh "$work/stage" arm64 "$work/$turn"
    python3 packaging/image.py "$work/stage" amd64 1 1 "$work/$turn/image.tar"
done
diff -r "$work/first" "$work/second" || fail "the same input does not give the same bytes"
ls "$work"/first/*_amd64.deb "$work"/first/*_arm64.deb "$work"/first/*.x86_64.rpm "$work"/first/*.aarch64.rpm >/dev/null
deb=$(ls "$work"/first/*_amd64.deb)
dpkg-deb --info "$deb" >"$work/control"
for field in Package Version Architecture Maintainer Section Description; do
    grep -qE "^ $field: ." "$work/control" || fail "the .deb has no field $field"
done
if grep 'Unset' "$work/control"; then fail "the .deb has a field without a value"; fi
dpkg-deb --contents "$deb" >"$work/files"
for file in $(cd "$work/stage" && find . -type f); do
    grep -q " $file\$" "$work/files" || fail "the .deb has no $file"
done
# Files that the unit and its options name are among them.
named=$(sed -nE 's/^(ExecStart|EnvironmentFile)=-?([^ ]+).*/\2/p' packaging/evenweave.service
    grep -ohE '/etc/evenweave/[a-z.-]+' packaging/etc/serve.conf
    sed -nE 's,^#? ?(queues|site) = \[?"([^"]+)".*,/etc/evenweave/\2,p' packaging/etc/serve.toml)
for file in $named; do
    grep -q " \.$file\$" "$work/files" || fail "the .deb has no $file, which the unit or a file of its options names"
done
if command -v systemd-analyze >/dev/null; then
    # Without the targets of a system it cannot say that they are right, so it has those of this one.
    cp -r /usr/lib/systemd/system/. "$work/stage/usr/lib/systemd/system/"
    systemd-analyze verify --man=no --recursive-errors=no --root="$work/stage" evenweave.service 2>&1 | tee "$work/log"
    if grep -q evenweave "$work/log"; then fail "the unit is not right"; fi
    systemd-analyze security --offline=true --threshold=20 --no-pager --root="$work/stage" evenweave.service >"$work/log" ||
        fail "the unit lets the service do more than it needs: $(tail -n 1 "$work/log")"
else
    echo "package: the unit is not looked at, because systemd-analyze is not here; install it: apt-get install systemd"
fi
