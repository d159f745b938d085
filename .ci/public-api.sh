#!/usr/bin/env bash
# What the crate shows of itself, kept in core/public-api.txt, so that each change of it shows in a diff.
# .ci/public-api.sh: fails where the file is not what the code says. --update: writes it.
# It is read out of rustdoc's pages, for which a stable toolchain is enough; the pages of a later one may need other words here.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
[ "${1:-}" = "" ] || [ "$*" = --update ] || { echo "usage: .ci/public-api.sh [--update]" >&2; exit 2; }
kept=core/public-api.txt
listing=$(mktemp)
trap 'code=$?; rm -f "$listing"; echo "public-api: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"; exit $code' EXIT
# Of its own: the pages of .ci/docs.sh have private items, too.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/public-api"
rm -rf "$CARGO_TARGET_DIR/doc"
# Neither is in the lock file of whoever depends on the crate: model has them.
if cargo tree -p evenweave --all-features --target all --edges normal,build --prefix none | grep -E '^(loom|shuttle) '; then
    echo "public-api: the crate depends on what only its models need" >&2
    exit 1
fi
RUSTDOCFLAGS="-D warnings" cargo doc --quiet -p evenweave --no-deps --all-features

# One page: the item's declaration, its inherent methods, the traits that it has. What is blanket or automatic is left out, but for
# `!Send` and the like.
page() {
    tr '\n' '\001' <"$1" | sed -E '
        s/<section id="(deref-methods|trait-implementations|synthetic-implementations|blanket-implementations|implementors|implementations)/\n@\1\n&/g
        s/<h2 id="(deref-methods|trait-implementations|synthetic-implementations|blanket-implementations|implementors|implementations|foreign-impls)/\n@\1\n&/g
        s/<pre class="rust item-decl">/\n@decl /g
        s/<h3 class="code-header">/\n@impl /g
        s/<h4 class="code-header">/\n@item /g
        s/<\/(pre|h3|h4)>/\n/g' | sed -nE '/^@/p' | sed -E '
        s/<div class="where">|<br>/ /g
        s/<[^>]*>//g
        s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&nbsp;/ /g; s/&amp;/\&/g
        s/\xc2\xa0/ /g
        s/Show [0-9]+ (associated items|fields|methods|variants)//g
        s/#\[non_exhaustive\]pub/#[non_exhaustive]\x01pub/' | awk '
        function squeezed(text) { gsub(/\001/, " ", text); gsub(/ +/, " ", text); sub(/ $/, "", text); return text }
        /^@(deref-methods|implementors|foreign-impls|blanket-implementations)/ { part = "none"; next }
        /^@synthetic/ { part = "auto"; next }
        /^@(trait-implementations|implementations)/ { part = "all"; next }
        /^@decl / { text = substr($0, 7); gsub(/\001/, "\n", text); print text; next }
        part == "none" { next }
        /^@impl / { text = squeezed(substr($0, 7)); if (part != "auto" || text ~ /impl.* !(Send|Sync) /) traits[++n] = text; next }
        /^@item pub / { print "    " squeezed(substr($0, 7)) }
        END { for (i = 1; i <= n; i++) if (traits[i] ~ / for / && traits[i] !~ /StructuralPartialEq/) print "    " traits[i] }'
}

(
    cd "$CARGO_TARGET_DIR/doc/evenweave"
    find . -name '*.html' ! -name index.html ! -name all.html | LC_ALL=C sort | while read -r file; do
        grep -q 'class="rust item-decl"' "$file" || continue
        path=${file#./}
        name=${path##*/}
        name=${name#*.}
        module=$(dirname "$path")
        [ "$module" = . ] && module= || module="${module//\//::}::"
        echo "## evenweave::$module${name%.html}"
        page "$file"
    done
) >"$listing"
# A dependency's types would make its next version ours.
if grep -nE 'SmallVec|FxHash|CachePadded|DashMap|crossbeam|Parcel' "$listing"; then
    echo "public-api: a type of a dependency, or a private one, is in a public signature" >&2
    exit 1
fi
if [ "${1:-}" = --update ]; then
    cp "$listing" "$kept"
elif ! diff -u "$kept" "$listing"; then
    echo "public-api: $kept differs from the code; where that is meant: .ci/public-api.sh --update" >&2
    exit 1
fi
