#!/usr/bin/env bash
# stage.sh PROGRAM STAGE [SHARE]...: puts what a package installs below STAGE, as it lies below /. What the folders
# SHARE have goes to /usr/share. SOURCE_DATE_EPOCH is the time of all files.
set -euo pipefail
program=$1 stage=$2
shift 2
root=$(dirname "$0")/..
rm -rf "$stage"
install -D -m 755 "$program" "$stage/usr/bin/evenweave"
install -D -m 644 "$root/packaging/evenweave.service" "$stage/usr/lib/systemd/system/evenweave.service"
install -D -m 644 "$root/LICENSE" "$stage/usr/share/doc/evenweave/copyright"
install -m 644 "$root/tools/data/LICENSE.SWIM" "$stage/usr/share/doc/evenweave/"
gzip -9nc "$root/CHANGELOG.md" >"$stage/usr/share/doc/evenweave/changelog.gz"
install -D -m 644 -t "$stage/etc/evenweave" "$root"/packaging/etc/* "$root"/tools/data/{fair,capacity}-scheduler.xml
for share in "$@"; do cp -r "$share/." "$stage/usr/share/"; done
# The same bytes each time, whoever makes them.
chmod -R u=rwX,go=rX "$stage"
find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
