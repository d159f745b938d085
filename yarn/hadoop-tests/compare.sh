#!/bin/sh
# compare.sh WORK EXPECTED : the tests that failed are those that EXPECTED names, one a line, with a reason behind #. A test that is marked
# "sometimes" may fail or not.
set -eu
work=$1 expected=$2
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT
for report in "$work"/Test*.txt "$work"/*.*Test*.txt; do
  [ -e "$report" ] || continue
  suite=$(basename "$report" .txt)
  sed -n 's/^.*-- \(test[A-Za-z0-9_]*\)\[*.*\[X\].*$/\1/p' "$report" | sed "s/^/$suite#/"
done | sort -u > "$failed"
rc=0
while read -r test; do
  grep -q "^$test\b" "$expected" || { echo "failed and should not: $test"; rc=1; }
done < "$failed"
sed 's/#  *sometimes.*/sometimes/; / sometimes/d; s/  *# .*//; /^$/d; /^#/d' "$expected" | while read -r test; do
  grep -q "^$test$" "$failed" || echo "passes by now: $test"
done
[ $rc = 0 ] && echo "$(wc -l < "$failed") failed, all of them known"
exit $rc
