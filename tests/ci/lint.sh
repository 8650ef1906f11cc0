#!/usr/bin/env bash
# Runs clang-tidy on sources of build/tidy/compile_commands.json and lists the distinct findings. The exit code
# is 1 if there is one. ./dev lint calls it.
#   lint.sh                      every source, with all checks of .clang-tidy
#   lint.sh FILE...              the named sources
#   lint.sh --changed [COMMITS]  sources whose tokens changed in the last COMMITS (default 50), newest first
# TAKT_LINT_SECONDS bounds the time in which files are begun. TAKT_LINT_ARGUMENTS is handed to clang-tidy.
# It counts a source only after clang-tidy ended on it, and it names the number that it did not reach.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { printf 'takt: lint: %s\n' "$*" >&2; exit 1; }

logs=build/tidy/lint
database=build/tidy/compile_commands.json
TAKT_LINT_DEADLINE=$(($(date +%s) + ${TAKT_LINT_SECONDS:-1000000}))
export TAKT_LINT_DEADLINE TAKT_LINT_LOGS=$logs

compiled_sources() {
  sed -n "s|^ *\"file\": \"$PWD/\(.*\)\".*|\1|p" "$database" | grep -v '^build/' | sort -u
}

# A file's tokens without comments, white space and include paths: a move or a formatter changes those without
# a new finding.
tokens() { g++ -fpreprocessed -dD -E -P -x c++ - 2>/dev/null | grep -vE '^ *# *include' | tr -d ' \t\n'; }

# Prints a changed file when its tokens differ from those of the old blob.
print_if_changed() {
  local status=$1 blob=$2 path=$3 new
  [ "$status" != R100 ] || return 0
  new=$(tokens <"$path")
  # Without tokens the compiler did not read the file, and it counts as changed.
  [ "$status" != A ] && [ -n "$new" ] && [ "$new" = "$(git cat-file blob "$blob" | tokens)" ] ||
    printf '%s\n' "$path"
}

# Changed files since commit $1, in no order.
changed_files() {
  git ls-files --others --exclude-standard -- '*.cpp' '*.h'
  git diff --raw --no-abbrev -l0 --find-renames=50% --diff-filter=AMR "$1" -- '*.cpp' '*.h' |
    awk '{ print $5, $3, $NF }' | xargs -r -n 3 -P "$(nproc)" bash -c 'print_if_changed "$@"' _
}

# Stands for a header: the source of its name, else the first source that includes it.
source_of_header() {
  local header=$1 stem=${1%.h}
  grep -qxF "$stem.cpp" "$sources_list" && { printf '%s\n' "$stem.cpp"; return; }
  tr '\n' '\0' <"$sources_list" | xargs -0 grep -lF "\"${header#include/}\"" 2>/dev/null | head -n 1 || true
}

# The sources to check since commit $1, newest change first: the newest commit of a source or header decides.
changed_sources() {
  local base=$1 path source ranks
  ranks=$(mktemp)
  {
    git diff --name-only HEAD
    git ls-files --others --exclude-standard
    [ "$(git cat-file -t "$base")" = tree ] || git log --name-only --format= "$base..HEAD"
  } | awk '!seen[$0]++ { print NR, $0 }' >"$ranks"
  changed_files "$base" | while read -r path; do
    source=$path
    [[ $path != *.h ]] || source=$(source_of_header "$path")
    # An empty name: no source of the database includes this header.
    grep -qxF -- "$source" "$sources_list" || continue
    awk -v path="$path" -v source="$source" '$2 == path { rank = $1 }
      END { print rank ? rank : NR, source }' "$ranks"
  done | sort -n | awk '!seen[$2]++ { print $2 }'
  rm -f "$ranks"
}

# Checks a source, unless the time is over. Its whole output stays in $logs/<source>.log.
lint_source() {
  local log=$TAKT_LINT_LOGS/$1.log
  [ "$(date +%s)" -lt "$TAKT_LINT_DEADLINE" ] || return 0
  mkdir -p "${log%/*}"
  # shellcheck disable=SC2086
  clang-tidy -p build/tidy --quiet '--warnings-as-errors=*' ${TAKT_LINT_ARGUMENTS:-} "$1" >"$log.part" 2>&1 ||
    printf '%s\n' "$1" >>"$TAKT_LINT_LOGS/failed"
  mv "$log.part" "$log"
}
export -f print_if_changed tokens lint_source

rm -rf "$logs"
mkdir -p "$logs"
: >"$logs/failed"
sources_list=$logs/sources
compiled_sources >"$sources_list"
if [ "${1:-}" = --changed ]; then
  commits=${2:-50}
  [[ $commits =~ ^[0-9]+$ ]] || die "--changed takes a number of commits, not '$commits'"
  # In a shorter history or a shallow clone everything counts as changed.
  base=$(git rev-parse --verify --quiet "HEAD~$commits^{commit}") || base=$(git hash-object -t tree /dev/null)
  changed_sources "$base" >"$logs/wanted"
elif [ $# -gt 0 ]; then
  for file in "$@"; do
    grep -qxF -- "${file#./}" "$sources_list" || die "$file is no source of $database"
    printf '%s\n' "${file#./}"
  done >"$logs/wanted"
else
  cp "$sources_list" "$logs/wanted"
fi

xargs -r -P "${TAKT_JOBS:-$(nproc)}" -I{} bash -c 'lint_source "$1"' _ {} <"$logs/wanted"

wanted=$(wc -l <"$logs/wanted")
checked=$(find "$logs" -name '*.log' | wc -l)
find "$logs" -name '*.log' -exec cat {} + | grep -E '^[^ ].*: (error|warning): ' | sed "s|^$PWD/||" |
  sort -u >"$logs/findings" || true
sed 's/^/failed: /' "$logs/failed"
cat "$logs/findings"
printf '== clang-tidy: %d of %d sources checked, %d not reached; %d distinct findings; %d sources failed\n' \
  "$checked" "$wanted" "$((wanted - checked))" "$(wc -l <"$logs/findings")" "$(wc -l <"$logs/failed")"
[ ! -s "$logs/failed" ]
