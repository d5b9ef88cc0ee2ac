#!/usr/bin/env bash
# Builds the programs without CUDA under the compiler's sanitizers, and runs all tests:
#   scripts/sanitize_cpu.sh [asan|ubsan|tsan]...    (default: all three, each in a build of its own)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -gt 0 ] || set -- asan ubsan tsan
for preset in "$@"; do
  case $preset in
    asan | ubsan | tsan) ;;
    *) fail "there is no sanitizer '$preset'; usage: scripts/sanitize_cpu.sh [asan|ubsan|tsan]..." ;;
  esac
done
install_missing
cd "$repository"
failed=()
for preset in "$@"; do
  say "$preset"
  # What fails under one sanitizer says nothing of the others.
  cmake --preset "$preset" >/dev/null && cmake --build --preset "$preset" &&
    ctest --preset "$preset" --timeout 1200 --progress || failed+=("$preset")
done
[ ${#failed[@]} -eq 0 ] || fail "failed: ${failed[*]}"
say "nothing was found"
