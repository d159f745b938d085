#!/usr/bin/env bash
# What each library crate shows of itself, kept in its public-api.txt, so that each change of it shows in a diff.
# .ci/public-api.sh: fails where a file is not what the code says. --update: writes them.
# It is read out of rustdoc's pages, for which a stable toolchain is enough; the pages of a later one may need other words here.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
[ "${1:-}" = "" ] || [ "$*" = --update ] || { echo "usage: .ci/public-api.sh [--update]" >&2; exit 2; }
update=${1:-}
scratch=$(mktemp -d)
trap 'code=$?; rm -rf "$scratch"; echo "public-api: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"; exit $code' EXIT
# Of its own: the pages of .ci/docs.sh have private items, too.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/public-api"
doc=$(realpath -m "$CARGO_TARGET_DIR/doc")
rm -rf "$doc"
# Neither is in the lock file of whoever depends on the crate: model has them.
if cargo tree -p evenweave --all-features --target all --edges normal,build --prefix none | grep -E '^(loom|shuttle) '; then
    echo "public-api: the crate depends on what only its models need" >&2
    exit 1
fi
# A crate after those that it depends on: then its pages say from which of their source lines an item is passed on.
crates="resource config core"
for crate in $crates; do
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet -p "$(sed -n 's/^name = "\(.*\)"/\1/p' "$crate/Cargo.toml" | head -n 1)" --no-deps --all-features
done

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

# The source lines of the item on a page.
source_of() {
    { grep -o '<a class="src[^"]*" href="[^"]*"' "$1" || true; } | head -n 1 | sed -E 's/.*src\///; s/(-[0-9]+)?"$//'
}

# The listing of a crate: by module first what it passes on under a second name, a line each, and then a page an item. An item has
# its page at the first of its names, in the crate that it comes from; here it has only what this crate adds, such as an `impl`.
# $scratch/names has the lines `source kind.Item.html|path|page` of the items so far.
listing() {
    cd "$doc/$1"
    find . -name index.html | LC_ALL=C sort | while read -r index; do
        folder=${index%/index.html}
        module="$1${folder#.}"
        module=${module//\//::}
        : >"$scratch/uses"
        : >"$scratch/items"
        # What rustdoc does not inline.
        { grep -oE 'id="reexport\.[^"]*"[^>]*>(<div[^>]*>)?<code>pub use [^;]*;' "$index" || true; } |
            sed -E 's/^.*<code>//; s/<[^>]*>//g' >>"$scratch/uses"
        find "$folder" -maxdepth 1 -name '*.html' | LC_ALL=C sort | while read -r file; do
            grep -q 'class="rust item-decl"' "$file" || continue
            name=${file##*/}
            item=${name#*.}
            item=${item%.html}
            page "$file" >"$scratch/page"
            # Of an alias, without the type that it stands for.
            case "$name" in type.*) sed -n '0,/;$/p' "$scratch/page" >"$scratch/alias"; mv "$scratch/alias" "$scratch/page" ;; esac
            key="$(source_of "$file") $name"
            # A string that starts a line, as it is.
            first=$(awk -v key="$key|" 'index($0, key) == 1 { print; exit }' "$scratch/names")
            if [ -n "$first" ]; then
                echo "pub use $(cut -d'|' -f2 <<<"$first");" >>"$scratch/uses"
                # No other crate can add methods: those may be worded in another way here.
                { grep -vxF -f "$(cut -d'|' -f3 <<<"$first")" "$scratch/page" || true; } |
                    { grep '^    impl' || true; } >"$scratch/added"
                [ ! -s "$scratch/added" ] || { echo "## $module::$item"; cat "$scratch/added"; } >>"$scratch/items"
            else
                kept="$scratch/$(wc -l <"$scratch/names").page"
                cp "$scratch/page" "$kept"
                echo "$key|$module::$item|$kept" >>"$scratch/names"
                { echo "## $module::$item"; cat "$scratch/page"; } >>"$scratch/items"
            fi
        done
        [ ! -s "$scratch/uses" ] || { echo "## $module"; LC_ALL=C sort "$scratch/uses"; }
        cat "$scratch/items"
    done
}

: >"$scratch/names"
failed=
for crate in $crates; do
    name=evenweave_$crate
    [ "$crate" != core ] || name=evenweave
    (listing "$name") >"$scratch/listing"
    # A dependency's types would make its next version ours.
    if grep -nE 'SmallVec|FxHash|CachePadded|DashMap|crossbeam|Parcel' "$scratch/listing"; then
        echo "public-api: a type of a dependency, or a private one, is in a public signature of $crate" >&2
        exit 1
    fi
    kept=$crate/public-api.txt
    if [ "$update" = --update ]; then
        cp "$scratch/listing" "$kept"
    elif ! diff -u "$kept" "$scratch/listing"; then
        echo "public-api: $kept differs from the code; where that is meant: .ci/public-api.sh --update" >&2
        failed=1
    fi
done
[ -z "$failed" ]
