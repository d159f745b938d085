#!/usr/bin/env bash
# Breaks that nobody chose: a random sample of cargo-mutants' over a part of the core.
# .ci/mutants-random.sh [--part fair|capacity|plans] [--seed N] [--count N] [--list]; by hand, for it takes hours. See CONTRIBUTING.md.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "usage: .ci/mutants-random.sh [--part fair|capacity|plans] [--seed N] [--count N] [--list]" >&2
    echo "  --part     fair: the engine, the FairScheduler's decisions and what they share, unless given; capacity: the CapacityScheduler;" >&2
    echo "             plans: the ReservationSystem" >&2
    echo "  --seed N   which sample, 1 unless given: the same number chooses the same mutants of the same sources" >&2
    echo "  --count N  how many mutants, 60 unless given" >&2
    echo "  --list     says which they are, and tries none" >&2
    exit 2
}

seed=1 count=60 list=no part=fair
while [ $# != 0 ]; do
    case "$1" in
        --part)
            [[ ${2-} =~ ^(fair|capacity|plans)$ ]] || usage
            part=$2
            shift
            ;;
        --seed | --count)
            [[ ${2-} =~ ^[0-9]+$ ]] || usage
            declare "${1#--}=$2"
            shift
            ;;
        --list) list=yes ;;
        *) usage ;;
    esac
    shift
done

version=27.1.0
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
work=$(realpath -m "${CARGO_TARGET_DIR:-target}/mutants-random")
mkdir -p "$work/tmp"
export PATH="$tools/bin:$PATH"
if ! cargo-mutants mutants --version 2>/dev/null | grep -q "$version"; then
    # As in deny.sh.
    CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-mutants --version "$version" --locked --debug --quiet --root "$tools"
fi

# A copy, so that the sources may be worked on meanwhile. For models `lib.rs` declares the engine a second time, in which each mutant
# would be a second one.
sources=$work/src
rm -rf "$sources"
mkdir -p "$sources"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || cp --parents "$file" "$sources"
done
cd "$sources"
sed -i -e '/^#\[cfg(loom)\]$/{N;/mod engine;$/d}' core/src/lib.rs

# Where the scheduler may go wrong: not what only looks on (audit, reasons, views), nor hints to the processor, which change time alone. The
# tests are those that are quick and tell most, the recordings of the part first.
files=() packages=(--test-package evenweave)
case "$part" in
    fair)
        for in_core in engine fair order queue preemption shares policy; do files+=(-f "core/src/$in_core/**" -f "core/src/$in_core.rs"); done
        files+=(-f core/src/id.rs -e core/src/fair/trace.rs -e core/src/fair/decision.rs)
        tests=(asks stepped_properties kept_cases threaded lifecycle preemption preemption_threaded reload faults)
        ;;
    capacity)
        files+=(-f 'core/src/capacity/**')
        for told in explain/reasons explain/obstacles explain/words rules/observer decide/told decide/survey decide/surveying decide/watching; do
            files+=(-e "core/src/capacity/$told.rs")
        done
        packages+=(--test-package evenweave-tools)
        tests=(scenarios capacity_scenarios capacity capacity_alike capacity_calls capacity_properties capacity_workers capacity_faults)
        tests+=(hadoop_capacity capacity_plans lifetimes dynamic_queues)
        ;;
    plans)
        files+=(-f 'core/src/reservation/**' -f core/src/capacity/control/plans.rs -f 'core/src/fair/control/plan*.rs')
        packages+=(--test-package evenweave-tools)
        tests=(capacity_plans reservations reservation_properties reservation_rules threaded_reservations)
        ;;
esac
files+=(-e '**/audit.rs' -e '**/audit/**' -e '**/views/**' -e '**/views.rs')
files+=(-E '::prefetch|replace prefetch|fmt::Debug|impl fmt::|impl Debug|tests::')
targets=(--lib)
for test in "${tests[@]}"; do targets+=(--test "$test"); done

cargo mutants --list --colors never -p evenweave "${files[@]}" | grep -v -e ' delete field ' >"$work/all"
awk -v seed="$seed" 'BEGIN {srand(seed)} {printf "%.17f\t%s\n", rand(), $0}' "$work/all" | sort -g |
    awk -F '\t' -v count="$count" 'NR <= count {print $2}' | sort >"$work/chosen"
echo "mutants-random: $(wc -l <"$work/chosen") of $(wc -l <"$work/all") mutants of $part, seed $seed" >&2
if [ $list = yes ]; then
    cat "$work/chosen"
    exit
fi
# Each by its whole name, in its file. This version's filters by name pass over fields that are deleted: of the same files some of those are
# tried besides.
mapfile -t in_files < <(cut -d : -f 1 "$work/chosen" | sort -u | sed 's/^/-f=/')
chosen=$(sed -e 's/[][\.|$(){}?+*^]/\\&/g' "$work/chosen" | paste -s -d '|')

# Built as mutants.sh builds; properties try the same cases each time, and fewer.
export CARGO_INCREMENTAL=1 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=1 RUST_BACKTRACE=0
export PROPTEST_RNG_SEED=1 PROPTEST_MAX_SHRINK_ITERS=0 EVENWEAVE_OPERATIONS=100_000 TMPDIR=$work/tmp
code=0
cargo mutants --colors never -p evenweave "${packages[@]}" -j1 --timeout "${MUTANT_SECONDS:-180}" --gitignore false --output "$work" --re "^($chosen)\$" "${in_files[@]}" \
    $(printf -- '--cargo-arg=%s ' "${targets[@]}") || code=$?
echo "mutants-random: what nothing tells is in $work/mutants.out/missed.txt, what did not end in timeout.txt"
# 2: some were missed, which is no failure of the check; 3: some did not end.
[ $code = 0 ] || [ $code = 2 ] || [ $code = 3 ]
