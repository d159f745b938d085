#!/usr/bin/env bash
# Dependencies, of the workspace and of fuzz/: licences, sources and versions; known faults where their database can be had.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "deny: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
version=0.20.2
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
export PATH="$tools/bin:$PATH"
if ! cargo-deny --version 2>/dev/null | grep -q "$version"; then
    # Unoptimised it is built in a fraction of the time, and is quick enough.
    CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-deny --version "$version" --locked --debug --quiet --root "$tools"
fi
database=no
for manifest in Cargo.toml fuzz/Cargo.toml; do
    deny() { cargo-deny --manifest-path "$manifest" --config deny.toml --log-level error "$@"; }
    # Duplicate versions are warnings: counted here, shown by `cargo deny check bans`.
    deny --locked check --hide-inclusion-graph --show-stats licenses sources bans
    if [ "$database" = no ]; then
        # The database is a git repository, which cannot be reached from everywhere.
        if timeout 60 cargo-deny --manifest-path "$manifest" --config deny.toml --log-level off fetch db >/dev/null 2>&1; then
            database=new
        else
            database=none
        fi
    fi
    if [ "$database" = new ]; then
        deny --locked check --hide-inclusion-graph advisories
    fi
done
if [ "$database" = none ]; then
    echo "deny: known faults (advisories) were not looked for, because their database cannot be reached from here"
fi
