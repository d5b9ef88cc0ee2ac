#!/usr/bin/env bash
# Runs the GPU tests of a finished build (scripts/test.sh) under a tool of compute-sanitizer:
#   scripts/sanitize_gpu.sh memcheck|racecheck|initcheck|synccheck [<GoogleTest filter>]
# All but memcheck take fewer sizes and samples (WRSGPU_BRIEF): the whole suite would take days under
# racecheck. A filter, for example '*Rebuilding*', takes less.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tool=${1:-}
case $tool in
  memcheck | racecheck | initcheck | synccheck) ;;
  *) fail "usage: scripts/sanitize_gpu.sh memcheck|racecheck|initcheck|synccheck [<filter>]" ;;
esac
[ "$tool" = memcheck ] || export WRSGPU_BRIEF=1
command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"
programs=("$build"/verification/tests/gpu_test_*)
[ -x "${programs[0]}" ] || fail "there are no GPU tests in $build; run scripts/test.sh first"
for program in "${programs[@]}" "$build"/verification/tests/test_{construction,sampling}_suite \
  "$build"/verification/tests/test_bad_weights; do
  [ -x "$program" ] && [ ! -d "$program" ] || continue
  say "$tool: $(basename "$program")"
  compute-sanitizer --tool "$tool" --error-exitcode 1 "$program" --gtest_brief=1 \
    --gtest_filter="${2:-*}-*CouldNotBeReserved*:*LargeTables*:*NoSampleOfMany*:*AutoDraws*:*MoreThan32Bits*" ||
    fail "$tool found what is named above, or a test failed"
done
say "$tool found nothing"
