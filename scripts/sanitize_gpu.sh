#!/usr/bin/env bash
# Runs the GPU tests of a finished build (scripts/test.sh) under a tool of compute-sanitizer, many
# programs at a time:
#   scripts/sanitize_gpu.sh none|memcheck|racecheck|initcheck|synccheck [<GoogleTest filter>]
# `none` runs them as they are. Under all tools but memcheck they take fewer sizes and samples
# (WRSGPU_BRIEF, which may be set for memcheck, too): the whole suite would take days. A filter, for
# example '*Rebuilding*', takes fewer tests. From the environment: BUILD_DIR, the build (default:
# build); PROGRAMS, a regular expression for those to run (default: all); PARTS, the number of parts of a
# program of many tests (default 16); GPUS, the numbers of those to use, with blanks between (default: all);
# JOBS, programs at a time on a GPU (default 6; tests that need most of its memory skip themselves where
# others have it, so 1 for '*LargeTables*'); LIMIT, seconds after which the whole run is given up
# (default: never); LOGS, the folder for what they print (default: a new one, which is named). A run that
# was given up goes on when it is started again with the same LOGS and PARTS: parts that passed, with the
# same tests and tool, are not run again.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tool=${1:-}
filter=${2:-*}
build=${BUILD_DIR:-$build}
case $tool in
  none | memcheck | racecheck | initcheck | synccheck) ;;
  *) fail "usage: scripts/sanitize_gpu.sh none|memcheck|racecheck|initcheck|synccheck [<filter>]" ;;
esac
gpus=${GPUS:-$({ nvidia-smi -L 2>/dev/null || true; } | sed -n 's/^GPU \([0-9]*\):.*/\1/p' | xargs)}
[ -n "$gpus" ] || fail "there is no GPU here"
if [ "$tool" != none ]; then
  command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"
  [ "$tool" = memcheck ] || export WRSGPU_BRIEF=1
  # These need memory that a tool has not, take many samples whatever the sizes, await what a tool makes late,
  # or make calls that fail, which it reports.
  [[ $filter == *-* ]] && filter+=: || filter+=- # what follows the first '-' is left out
  filter+='*FailedReserve*:*LargeTables*:*NoSampleOfMany*:*AutoDraws*:*MoreThan32Bits*:*FailedCalls*'
fi
logs=${LOGS:-$(mktemp -d)}
mkdir -p "$logs"
PARTS=${PARTS:-16}

# The names of the tests of a program that the filter leaves; those of the same parameter, which run the
# same kernels, one after the other.
names() {
  local listed
  listed=$("$1" --gtest_list_tests --gtest_filter="$filter") || return
  awk '/^[^ ]+[.]( |$)/ { suite = $1 }
    /^  / { parameter = $1; if (!sub(".*/", "", parameter)) parameter = ""; print parameter "\t" suite $1 }' \
    <<<"$listed" | sort -s -k 1,1 | cut -f 2
}

# What a part that passed must have run, not to be run again.
what_runs() { echo "$tool, brief: ${WRSGPU_BRIEF:-0}, $(cat "$1")"; }

# One line for each part of a program that is to be run: its name, the part, the number of parts. What
# tests a part has is in a file of flags beside its log.
parts() {
  local program tests number parts part flags
  for program in "$build"/tests/gpu_test_* \
    "$build"/tests/test_{construction,sampling}_suite "$build"/tests/test_bad_weights; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    [[ $(basename "$program") =~ ${PROGRAMS:-.} ]] || continue
    tests=$(names "$program") || fail "$program does not list its tests"
    [ -n "$tests" ] || continue # the filter leaves none
    number=$(wc -l <<<"$tests")
    # Not too few tests each: a tool reports an error where none of them calls CUDA.
    parts=$((number < 6 ? 1 : number < 64 ? 4 : number < PARTS ? number : PARTS))
    for ((part = 0; part < parts; ++part)); do
      flags=$logs/$(basename "$program").$part.flags
      awk -v number="$number" -v parts=$parts -v part=$part \
        'int((NR - 1) * parts / number) == part { all = all (all ? ":" : "--gtest_filter=") $1 } END { print all }' \
        <<<"$tests" >"$flags"
      [ "$(what_runs "$flags")" = "$(cat "${flags%flags}passed" 2>/dev/null)" ] || echo "$program $part $parts"
    done
  done
}

run_part() {
  local program=$1 log command=()
  log=$logs/$(basename "$program").$2
  [ "$tool" = none ] || command=(compute-sanitizer --tool "$tool" --error-exitcode 1)
  # Beside a cluster of another stream it takes any kernel for divergent (verification/sanitizers.md).
  [ "$tool" != synccheck ] || command+=(--force-blocking-launches)
  local start status=0 all
  read -r -a all <<<"$gpus"
  start=$(date +%s)
  if [ "$start" -ge "$deadline" ]; then
    echo "not run: $(basename "$program"), part $(($2 + 1)) of $3"
    return 1
  fi
  CUDA_VISIBLE_DEVICES=${all[SLOT % ${#all[@]}]} timeout --kill-after=10 $((deadline - start)) "${command[@]}" \
    "$program" --gtest_flagfile="$log.flags" >"$log" 2>&1 || status=$?
  # A tool that came to its end says what it found.
  [ "$tool" = none ] || grep -q 'SUMMARY: 0 ' "$log" || status=$((status ? status : 1))
  [ $status != 0 ] || what_runs "$log.flags" >"$log.passed"
  printf '%s %4d s  %s, part %d of %d: %s\n' "$([ $status = 0 ] && echo ok || echo "FAILED ($status)")" \
    $(($(date +%s) - start)) "$(basename "$program")" $(($2 + 1)) "$3" \
    "$(grep -E '^\[  (PASSED|FAILED)|^\[  SKIPPED \] [0-9]|SUMMARY' "$log" | tr -s ' \n' ' ')"
  # What failed first: a test's expectation, or what the tool says behind its name.
  [ $status = 0 ] || sed '/^========= COMPUTE-SANITIZER/d' "$log" | grep -m 1 -A 12 -E ': Failure|^=========' || true
  return $((status != 0))
}
export -f run_part what_runs
deadline=$(($(date +%s) + ${LIMIT:-1000000000}))
export tool logs gpus deadline

list=$(parts)
if [ -z "$list" ]; then
  compgen -G "$logs/*.flags" >/dev/null || fail "there are no such GPU tests in $build; run scripts/test.sh first"
  say "$tool: all parts have passed before"
  exit 0
fi
number=$(wc -w <<<"$gpus")
say "$tool: $(wc -l <<<"$list") parts on $number GPUs; logs in $logs"
xargs -P $((number * ${JOBS:-6})) --process-slot-var=SLOT -L 1 \
  bash -c 'run_part "$@"' _ <<<"$list" ||
  fail "a part failed or was not run; see $logs"
say "$tool: nothing was found"
