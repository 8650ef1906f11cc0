#!/usr/bin/env bash
# Counts the instructions of some ticks under callgrind and compares them with bench/instructions.txt: the regression of a percent that times on a busy machine hide.
# Exit code 1 when a count is more than the tolerance above the committed one. Usage: bench/count_instructions.sh PROGRAM (bench_instructions of an optimised build)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${1:?usage: bench/count_instructions.sh PROGRAM}
committed=bench/instructions.txt
tolerance_percent=$(awk '$1 == "tolerance_percent" { print $2 }' "$committed")
compiler=$(awk '$1 == "compiler" { print $2, $3 }' "$committed")
here="gcc $(g++ -dumpfullversion)"
[ "$here" = "$compiler" ] || printf 'the committed counts are of %s, this is %s: expect other ones\n' "$compiler" "$here" >&2

profile=$(mktemp)
trap 'rm -f "$profile"' EXIT
regressed=0
printf '%-12s %6s %6s %6s %14s %14s %8s\n' scene settle ticks lanes committed counted change
while read -r scene settle ticks lanes expected; do
  counted=$(valgrind --tool=callgrind --callgrind-out-file="$profile" --toggle-collect=takt_counted_ticks "$program" "$scene" "$settle" "$ticks" "$lanes" 2>&1 |
    awk '/Collected :/ { print $NF }')
  [ "${counted:-0}" -gt 0 ] || { printf 'callgrind counted nothing for %s\n' "$scene" >&2; exit 1; }
  change=$(awk -v a="$expected" -v b="$counted" 'BEGIN { printf "%.2f", 100 * (b / a - 1) }')
  printf '%-12s %6s %6s %6s %14s %14s %+7.2f%%\n' "$scene" "$settle" "$ticks" "$lanes" "$expected" "$counted" "$change"
  if awk -v change="$change" -v most="$tolerance_percent" 'BEGIN { exit !(change > most) }'; then
    printf 'REGRESSION: %s takes %s %% more instructions; %s %% are allowed\n' "$scene" "$change" "$tolerance_percent" >&2
    regressed=1
  elif awk -v change="$change" -v most="$tolerance_percent" 'BEGIN { exit !(-change > most) }'; then
    printf 'better than committed: put %s in the line of %s in %s\n' "$counted" "$scene" "$committed" >&2
  fi
done < <(awk '$1 == "count" { print $2, $3, $4, $5, $6 }' "$committed")
exit "$regressed"
