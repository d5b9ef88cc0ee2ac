#!/usr/bin/env bash
# Runs the GPU tests of a finished build (scripts/test.sh) under a tool of compute-sanitizer, on all
# GPUs of the machine, many programs at a time:
#   scripts/sanitize_gpu.sh none|memcheck|racecheck|initcheck|synccheck [<GoogleTest filter>]
# `none` runs them as they are. Under all tools but memcheck they take fewer sizes and samples
# (WRSGPU_BRIEF, which may be set for memcheck, too): the whole suite would take days. A filter, for
# example '*Rebuilding*', takes fewer tests. From the environment: BUILD_DIR, the build (default:
# build); PROGRAMS, a regular expression for those to run (default: all); SHARE, for example 2/3: only
# the second of every three parts, where time for all of them at once is short; JOBS, programs at a time
# on a GPU (default 6); LIMIT, seconds after which a part is given up, which is a failure (default
# 3600); LOGS, the folder for what they print (default: a new one, which is named).
# initcheck reports the packs `chunked..._async_masses`: an asynchronous copy moves an element of 16 bytes
# with the 4 bytes of padding that nobody writes, and nobody reads.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tool=${1:-}
filter=${2:-*}
build=${BUILD_DIR:-$build}
case $tool in
  none | memcheck | racecheck | initcheck | synccheck) ;;
  *) fail "usage: scripts/sanitize_gpu.sh none|memcheck|racecheck|initcheck|synccheck [<filter>]" ;;
esac
gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
[ "$gpus" -gt 0 ] || fail "there is no GPU here"
if [ "$tool" != none ]; then
  command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"
  [ "$tool" = memcheck ] || export WRSGPU_BRIEF=1
  # These need memory that a tool has not, or take many samples whatever the sizes.
  filter+='-*CouldNotBeReserved*:*LargeTables*:*NoSampleOfMany*:*AutoDraws*:*MoreThan32Bits*'
fi
logs=${LOGS:-$(mktemp -d)}
mkdir -p "$logs"

# One line for each part of a program: its name, the part, the number of parts. A program that has many
# tests is cut into parts, which share them out (GTEST_TOTAL_SHARDS).
parts() {
  local program tests shards part
  for program in "$build"/verification/tests/gpu_test_* \
    "$build"/verification/tests/test_{construction,sampling}_suite "$build"/verification/tests/test_bad_weights; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    [[ $(basename "$program") =~ ${PROGRAMS:-.} ]] || continue
    tests=$("$program" --gtest_list_tests --gtest_filter="$filter") || fail "$program does not list its tests"
    tests=$(grep -c '^  ' <<<"$tests") || continue # the filter leaves none
    shards=$((tests < 4 ? 1 : tests < 64 ? 4 : 16))
    for ((part = 0; part < shards; ++part)); do echo "$program $part $shards"; done
  done
}

run_part() {
  local program=$1 log command=()
  log=$logs/$(basename "$program").$2
  [ "$tool" = none ] || command=(compute-sanitizer --tool "$tool" --error-exitcode 1)
  local start=$SECONDS status=0
  CUDA_VISIBLE_DEVICES=$((SLOT % gpus)) GTEST_SHARD_INDEX=$2 GTEST_TOTAL_SHARDS=$3 \
    timeout "${LIMIT:-3600}" "${command[@]}" "$program" --gtest_brief=1 --gtest_filter="$filter" \
    >"$log" 2>&1 || status=$?
  printf '%s %4d s  %s, part %d of %d: %s\n' "$([ $status = 0 ] && echo ok || echo "FAILED ($status)")" \
    $((SECONDS - start)) "$(basename "$program")" $(($2 + 1)) "$3" \
    "$(grep -E '^\[  (PASSED|FAILED)|^\[  SKIPPED \] [0-9]|SUMMARY' "$log" | tr -s ' \n' ' ')"
  return $((status != 0))
}
export -f run_part
export tool logs gpus filter

list=$(parts | awk -v share="${SHARE:-1/1}" '{ split(share, of, "/") } NR % of[2] == of[1] % of[2]')
[ -n "$list" ] || fail "there are no such GPU tests in $build; run scripts/test.sh first"
say "$tool: $(wc -l <<<"$list") parts on $gpus GPUs; logs in $logs"
xargs -P $((gpus * ${JOBS:-6})) --process-slot-var=SLOT -L 1 \
  bash -c 'run_part "$@"' _ <<<"$list" ||
  fail "a part failed; see $logs"
say "$tool: nothing was found"
