#!/bin/sh
# Before a removal ("remove" of dpkg, 0 of rpm), and not before an upgrade.
set -e
case ${1:-} in
    remove | 0) ;;
    *) exit 0 ;;
esac
[ -d /run/systemd/system ] || exit 0
systemctl --no-reload disable --now evenweave.service || true
