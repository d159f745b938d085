#!/usr/bin/env bash
# The mutation check: breaks the code on purpose, one patch of loom-tests/mutants at a time, and sees that a model or a test tells.
# .ci/mutants.sh [--quick] [--matrix] [NAME…]; a NAME is a part of a patch's path. See loom-tests/mutants/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "usage: .ci/mutants.sh [--quick] [--matrix] [NAME…]" >&2
    echo "  --quick   the mutants that .ci/run tries: those whose header says 'quick: yes'" >&2
    echo "  --matrix  every model on every mutant, instead of the checks that the headers name" >&2
    echo "  NAME      only mutants whose path has it, as in 'p03-mailbox' or 'p03-mailbox/push-relaxed'" >&2
    exit 2
}

quick=no matrix=no names=()
for argument in "$@"; do
    case "$argument" in
        --quick) quick=yes ;;
        --matrix) matrix=yes ;;
        -*) echo "mutants: there is no option $argument" >&2; usage ;;
        *) names+=("$argument") ;;
    esac
done

patches=$PWD/loom-tests/mutants
mkdir -p "${CARGO_TARGET_DIR:-target}/mutants"
work=$(cd "${CARGO_TARGET_DIR:-target}/mutants" && pwd)
unset CARGO_TARGET_DIR
sources=$work/src log=$work/log
root=$PWD

# Each mutant is built anew: little optimisation, no debug information, nothing rebuilt that has not changed.
export CARGO_INCREMENTAL=1 CARGO_TERM_COLOR=never LOOM_MAX_PREEMPTIONS=2 RUST_BACKTRACE=0
# Properties: the same cases each time, and nobody needs the smallest one that fails.
export PROPTEST_RNG_SEED=1 PROPTEST_MAX_SHRINK_ITERS=0
export CARGO_PROFILE_MODELS_CODEGEN_UNITS=64
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=1

# --------------------------------------------------------------------------------------------------------- the patches

# The values of a header's field, one a line: `field KEY FILE`. The header ends where the diff begins.
field() {
    awk -v key="$1:" '/^diff --git /{exit} index($0, key) == 1 {sub(/^[^:]*: */, ""); print}' "$2"
}

# The checks that are to kill a mutant, one a line: `model FILE [FILTER]` or `test PACKAGE TARGET… [FILTER]`. Quick are models alone: no test
# is built a second time for them.
checks_of() {
    awk -v kinds="$([ $quick = yes ] && echo "^model: " || echo "^(model|test): ")" '/^diff --git /{exit} $0 ~ kinds {sub(/:/, ""); print}' "$1"
}

files_of() {
    sed -n 's|^+++ b/||p' "$1"
}

chosen=()
for patch in "$patches"/*/*.patch; do
    name=${patch#"$patches"/} name=${name%.patch}
    wanted=$([ ${#names[@]} = 0 ] && echo yes || echo no)
    for part in ${names[@]+"${names[@]}"}; do
        [[ $name != *$part* ]] || wanted=yes
    done
    [ $quick = no ] || [ "$(field quick "$patch")" = yes ] || wanted=no
    [ $wanted = no ] || chosen+=("$name")
done
if [ ${#chosen[@]} = 0 ]; then
    echo "mutants: no mutant is called that; there are:" >&2
    (cd "$patches" && ls */*.patch | sed 's/\.patch$//; s/^/  /') >&2
    exit 2
fi
for name in "${chosen[@]}"; do
    for key in protocol breaks; do
        if [ -z "$(field $key "$patches/$name.patch")" ]; then
            echo "mutants: the header of $name.patch has no line '$key: …'; see loom-tests/mutants/README.md" >&2
            exit 2
        fi
    done
    if [ -z "$(checks_of "$patches/$name.patch")" ]; then
        echo "mutants: the header of $name.patch names no check: a line 'model: …' or 'test: …'" >&2
        exit 2
    fi
done

# ----------------------------------------------------------------------------------------------------- the scratch copy

# The sources as they are, in a place where they may be broken; what is there already and the same is left alone, so that
# little is built anew.
copy_sources() {
    local file
    mkdir -p "$sources"
    git ls-files -z --cached --others --exclude-standard >"$work/files"
    while IFS= read -r -d '' file; do
        [ -f "$file" ] || continue
        cmp -s "$file" "$sources/$file" && continue
        mkdir -p "$sources/$(dirname "$file")"
        cp "$file" "$sources/$file"
    done <"$work/files"
    while IFS= read -r file; do
        [ -f "$root/$file" ] || rm -f "$sources/$file"
    done < <(cd "$sources" && find . -type f | sed 's|^\./||')
}

# Applies a mutant to the copy; what it was before is kept, for the sources may be worked on meanwhile.
break_code() {
    local file
    rm -rf "$work/before"
    for file in $(files_of "$patches/$1.patch"); do
        mkdir -p "$work/before/$(dirname "$file")"
        cp "$sources/$file" "$work/before/$file" || return 1
    done
    # Outside of any repository, for inside of one git leaves out what is not below the place where it is called.
    (cd "$sources" && GIT_CEILING_DIRECTORIES=$work git apply -C1 "$patches/$1.patch")
}

# The time of what is restored is now, so that cargo builds it again.
restore() {
    [ ! -d "$work/before" ] || cp -R "$work/before/." "$sources/"
    rm -rf "$work/before"
}

# ----------------------------------------------------------------------------------------------------------- the checks

# The tests of faults need a feature; with it always the core is built once.
features_of() {
    if [ "$1" = evenweave ]; then echo --features faults; fi
}

# Arguments of cargo for a check; and, after `--`, its filter.
of_check() {
    local kind=$1
    shift
    if [ "$kind" = model ]; then
        cargo_args=(-p evenweave-loom-tests --profile models --test "$1") flags="--cfg loom -C debug-assertions=on" target=$work/loom
        filter=${2-}
    else
        cargo_args=(-p "$1" $(features_of "$1")) flags="" target=$work/core
        shift
        case "$1" in
            --lib) cargo_args+=(--lib); shift ;;
            --test)
                cargo_args+=(--test "$2")
                shift 2
                ;;
            *) echo "mutants: a test is named as 'test: PACKAGE --lib FILTER' or 'test: PACKAGE --test FILE [FILTER]'" >&2; exit 2 ;;
        esac
        filter=${1-}
    fi
}

cargo_test() {
    (cd "$sources" && RUSTFLAGS=$flags CARGO_TARGET_DIR=$target "$@")
}

build() {
    cargo_test cargo test "${cargo_args[@]}" --no-run >"$log" 2>&1
}

# Not longer than it may take: a break can make a test wait for ever.
run() {
    cargo_test timeout -k 5 "$1" cargo test "${cargo_args[@]}" -- $filter >"$log" 2>&1
}

# What the first assertion that failed has to say; of a property, what it was given instead of the right answer.
message() {
    awk '
        /panicked at / { getline; if (/^Test failed: /) getline; sub(/^assertion [^:]* failed: /, "")
            if (/^assertion .* failed$/) { getline; left = $0; getline; $0 = left "," $0 }
            gsub(/^ +| +$/, ""); print substr($0, 1, 110); exit }
    ' "$log"
}

errors=0
error() {
    errors=$((errors + 1))
    echo "ERROR  $1"
    tail -n 12 "$log" | sed 's/^/       /'
}

# ---------------------------------------------------------------------------------------------- the code as it should be

start=$SECONDS
trap restore EXIT
restore
copy_sources
declare -A limit
# All programs at once, which takes less than one after the other; then each check by itself, and how long it takes.
models=() tests=()
for name in "${chosen[@]}"; do
    while read -r kind rest; do
        if [ "$kind" = model ]; then models+=("${rest%% *}"); else tests+=("$rest"); fi
    done < <(checks_of "$patches/$name.patch")
done
if [ $matrix = yes ]; then
    models=($(cd loom-tests/tests && ls *.rs | sed 's/\.rs$//')) tests=()
fi
if [ ${#models[@]} != 0 ]; then
    of_check model none
    cargo_args=(-p evenweave-loom-tests --profile models)
    for model in $(printf '%s\n' "${models[@]}" | sort -u); do cargo_args+=(--test "$model"); done
    build || { error "the models of the unbroken code cannot be built"; exit 1; }
fi
if [ ${#tests[@]} != 0 ]; then
    while read -r package; do
        cargo_args=(-p "$package" $(features_of "$package")) flags="" target=$work/core
        while read -r more; do cargo_args+=($more); done < <(
            printf '%s\n' "${tests[@]}" | awk -v of="$package" '$1 == of {print $2 == "--lib" ? $2 : $2 " " $3}' | sort -u
        )
        build || { error "the tests of the unbroken code cannot be built"; exit 1; }
    done < <(printf '%s\n' "${tests[@]}" | awk '{print $1}' | sort -u)
fi
echo "mutants: the unbroken code is built, $((SECONDS - start)) s"

# A check that fails anyway, or a filter that no test has, would say nothing.
check_unbroken() {
    local check=$1 began
    [ -z "${limit[$check]-}" ] || return 0
    of_check $check
    began=$SECONDS
    if ! run 300; then
        error "'$check' fails without any mutant"
        exit 1
    fi
    if ! grep -q '^test .* \.\.\. ok$' "$log"; then
        error "'$check' names no test"
        exit 1
    fi
    limit[$check]=$((15 + 10 * (SECONDS - began)))
}

# ---------------------------------------------------------------------------------------------------------- the matrix

# One line a test: FILE TEST PROGRAM.
list_models() {
    local file program
    of_check model none
    cargo_args=(-p evenweave-loom-tests --profile models)
    for file in "${models[@]}"; do cargo_args+=(--test "$file"); done
    build || return 1
    sed -n 's|^ *Executable tests/\(.*\)\.rs (\(.*\))$|\1 \2|p' "$log" >"$work/programs"
    while read -r file program; do
        "$program" --list 2>/dev/null | sed -n "s|^\(.*\): test\$|$file \1 $program|p"
    done <"$work/programs" >"$work/tests"
}

sums() {
    awk '{print $2}' "$work/programs" | xargs sha256sum | awk '{print $1}'
}

if [ $matrix = yes ]; then
    list_models
    sums >"$work/unbroken"
    while read -r file test program; do
        timeout -k 5 60 "$program" --exact "$test" >"$log" 2>&1 </dev/null || { error "$file: $test fails without any mutant"; exit 1; }
    done <"$work/tests"
    : >"$work/kills"
    killed=0 survived=0 same=0
    for name in "${chosen[@]}"; do
        if ! break_code "$name" >"$log" 2>&1; then error "$name does not apply: it is out of date"; continue; fi
        if ! list_models; then
            error "$name does not compile"
        elif sums | cmp -s - "$work/unbroken"; then
            # Of code that models do not have: each of their programs is the same, to the byte.
            same=$((same + 1))
            echo "$name: not of the models' code"
        else
            by=()
            while read -r file test program; do
                # A loop that does not end under loom is stopped by loom itself or by the time.
                if ! timeout -k 5 60 "$program" --exact "$test" >"$log" 2>&1 </dev/null; then
                    by+=("$file: $test")
                    printf '%s\t%s\t%s\n' "$name" "$file" "$test" >>"$work/kills"
                fi
            done <"$work/tests"
            if [ ${#by[@]} = 0 ]; then
                survived=$((survived + 1))
                echo "$name: no model tells"
            else
                killed=$((killed + 1))
                echo "$name: $(printf '%s, ' "${by[@]}" | sed 's/, $//')"
            fi
        fi
        restore
    done
    # Of all mutants only: a part of them would say too little of the others.
    if [ ${#names[@]} = 0 ] && [ $quick = no ] && [ $errors = 0 ]; then
        { printf 'mutant\tmodel-file\tmodel-test\n'; cat "$work/kills"; } >loom-tests/mutants/kills.tsv
        echo "mutants: loom-tests/mutants/kills.tsv says which model kills which; .ci/loom-table.sh puts it in the table"
    fi
    echo "mutants: $killed killed by a model, $survived by none, $same of code that models do not have, $errors errors, $((SECONDS - start)) s"
    [ $errors = 0 ]
    exit
fi

# --------------------------------------------------------------------------------------------------------- the mutants

killed=0 survived=0 unexplained=()
for name in "${chosen[@]}"; do
    while read -r check; do check_unbroken "$check"; done < <(checks_of "$patches/$name.patch")
done
echo "mutants: every check passes without a mutant, $((SECONDS - start)) s"
for name in "${chosen[@]}"; do
    patch=$patches/$name.patch began=$SECONDS verdict=
    if ! break_code "$name" >"$log" 2>&1; then
        error "$name does not apply: it is out of date"
        continue
    fi
    while read -r check; do
        of_check $check
        if ! build; then
            verdict=error
            error "$name does not compile"
            break
        fi
        code=0
        run "${limit[$check]}" || code=$?
        [ $code != 0 ] || continue
        if [ $code = 124 ] || [ $code = 137 ]; then
            verdict="by time-out of $check (${limit[$check]} s)"
        elif grep -q -e '^test .* FAILED$' -e 'panicked at ' "$log"; then
            verdict="by $check, $((SECONDS - began)) s: '$(message)'"
        else
            verdict=error
            error "$name: '$check' ended with code $code, and no test has failed"
        fi
        break
    done < <(checks_of "$patch")
    restore
    why=$(field survives "$patch")
    case "$verdict" in
        error) ;;
        "")
            survived=$((survived + 1))
            [ -n "$why" ] || unexplained+=("$name")
            echo "$name  SURVIVED, $((SECONDS - began)) s: ${why:-and nobody says why}"
            ;;
        *)
            killed=$((killed + 1))
            echo "$name  killed $verdict"
            [ -z "$why" ] || echo "$name  is killed, though its header says that it survives"
            ;;
    esac
done

code=0
if [ $errors != 0 ]; then
    echo "mutants: $errors could not be tried" >&2
    code=1
fi
if [ ${#unexplained[@]} != 0 ]; then
    echo "mutants: survived without a line 'survives: …' in the header: ${unexplained[*]}" >&2
    code=1
fi
if [ $((killed * 100)) -lt $((95 * (killed + survived))) ]; then
    echo "mutants: fewer than 95 % are killed" >&2
    code=1
fi
echo "mutants: $((SECONDS - start)) s"
echo "mutants: $killed killed, $survived survived"
exit $code
