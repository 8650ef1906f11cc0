#!/usr/bin/env bash
# Plants a fault in a copy of HEAD, runs the stage of ./dev check that is meant to find it, and demands that
# the stage fails and that its output names the fault. ./dev plant calls it. TAKT_PLANT_KEEP=1 keeps the copy.
#   plant.sh [FAULT...]   default: sine format aarch64 race use_after_free
# Patterns choose the place when the script runs, so it survives moves. A pattern without a match is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { printf 'takt: plant: %s\n' "$*" >&2; exit 1; }

# The first tracked file that the patterns name.
first_of() {
  local file
  file=$(git ls-files -- "$@" | head -n 1)
  [ -n "$file" ] || die "no file matches $*"
  printf '%s\n' "$file"
}

# Applies a sed script to a file, and demands that the file changes.
change() {
  local file=$1 script=$2
  sed -E -i "$script" "$file"
  ! git diff --quiet -- "$file" || die "no line of $file matches; mend the pattern in tests/ci/plant.sh"
  git diff -U1 -- "$file" | sed -n '/^@@/,$p'
}

# Each fault: its stage, the text that the stage must print, and how to plant it.
stage_of() {
  case $1 in
    sine) echo rules ;;
    format) echo format ;;
    aarch64) echo aarch64 ;;
    race) echo tsan ;;
    use_after_free) echo asan ;;
    *) die "there is no fault '$1'" ;;
  esac
}
text_of() {
  case $1 in
    sine) echo 'integrate_bodies.cpp.*sin' ;;
    format) echo 'hash.cpp.*clang-format' ;;
    aarch64) echo 'Golden\.Scene.*\(Failed\)' ;;
    race) echo 'ThreadSanitizer: data race' ;;
    use_after_free) echo 'AddressSanitizer: heap-use-after-free' ;;
  esac
}
plant() {
  local body script
  body=$(first_of 'physics/*integrate_bodies.cpp')
  case $1 in
    sine) printf '\n#include <cmath>\ndouble planted(double x) { return std::sin(x); }\n' >>"$body" ;;
    format) printf '\nint   planted( );\n' >>"$(first_of 'core/*hash.cpp')" ;;
    # The lowest bit of the first float of each vector that is stored.
    aarch64)
      script='s|^ *std::memcpy\(static_cast<void\*>\(&([a-z_]+)\), &.*|&\n#ifdef __aarch64__\n'
      script+='  reinterpret_cast<unsigned char\&>(\1) ^= 1;\n#endif|'
      change "$body" "$script"
      ;;
    # Every worker of the pool counts without a lock.
    race)
      change "$(first_of 'threads/*thread_pool.cpp')" \
        's|emplace_back\(\[[^]]*\] \{ |&static int planted = 0; ++planted; |'
      ;;
    use_after_free)
      script='s|^std::uint64_t hash_bytes\(.*seed\) noexcept \{|&\n  int* volatile planted = new int(1);\n'
      script+='  delete planted;\n  if (*planted == 7) return 0;\n|'
      change "$(first_of 'core/*hash.cpp')" "$script"
      ;;
  esac
}

[ $# -gt 0 ] || set -- sine format aarch64 race use_after_free
for fault in "$@"; do stage_of "$fault" >/dev/null; done
root=$PWD
copy=$(mktemp -d)/takt
[ -n "${TAKT_PLANT_KEEP:-}" ] || trap 'rm -rf "${copy%/*}"' EXIT
git clone --quiet --shared "$root" "$copy"
# The compiler cache knows the objects of this tree by relative paths.
export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1
cd "$copy"

red=0
table=()
for fault in "$@"; do
  git checkout --quiet -- .
  stage=$(stage_of "$fault")
  printf '== plant %s, which stage %s must find\n' "$fault" "$stage" >&2
  plant "$fault"
  mkdir -p build
  log=$root/build/plant-$fault.log begin=$SECONDS
  mkdir -p "$root/build"
  if ./dev check "$stage" >"$log" 2>&1; then
    result='NOT FOUND: the stage is green'
  elif ! grep -qE "^$stage +FAIL" "$log"; then
    result='NOT NAMED: the table does not name the stage'
  elif ! grep -qE "$(text_of "$fault")" "$log"; then
    result='RED FOR ANOTHER REASON'
  else
    result=found
  fi
  [ "$result" = found ] || red=1
  table+=("$(printf '%-15s %-8s %5d s  %s' "$fault" "$stage" "$((SECONDS - begin))" "$result")")
done
printf '%s\n' "fault           stage      time  result" "${table[@]}"
[ "$red" = 0 ] || die "a fault was not found; the outputs are in build/plant-<fault>.log"
