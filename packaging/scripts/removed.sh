#!/bin/sh
# After a removal. With `purge` of dpkg the state goes too; rpm has no such word, and leaves it.
set -e
if [ "${1:-}" = purge ]; then
    rm -rf /var/lib/private/evenweave
    # A link to it while DynamicUser is in use.
    rm -rf /var/lib/evenweave
fi
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload || true
