#!/bin/sh
# run.sh RECORDER [EVENWEAVE] [COUNT] [SEED] [SCHEDULER]: cuts of simulated days, decided by a real scheduler.
#
# RECORDER: a program that takes IN.jsonl OUT.jsonl, lets a scheduler of Hadoop 3.4.2 do the steps of each scenario of
# IN, and writes them to OUT with what it showed (docs/simulator-figures.md says what a scenario is). It needs Maven.
# SCHEDULER: fair, which is the default, or capacity.
# EVENWEAVE: the program; by default the release build of this tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
recorder=${1:?run.sh RECORDER [EVENWEAVE] [COUNT] [SEED] [SCHEDULER]}
evenweave=${2:-$here/../../../target/release/evenweave}
count=${3:-50}
seed=${4:-1}
scheduler=${5:-fair}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/days.py" "$evenweave" "$here/../../data/FB-2009_samples_24_times_1hr_0.tsv.gz" "$work" "$count" "$seed" "$scheduler"
"$evenweave" replay "$work/decided.jsonl"
"$recorder" "$work/decided.jsonl" "$work/recorded.jsonl"
python3 "$here/compare.py" "$work/decided.jsonl" "$work/recorded.jsonl"
