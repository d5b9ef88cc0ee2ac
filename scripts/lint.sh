#!/usr/bin/env bash
# Checks the format of the sources (clang-format) and looks for mistakes in them (clang-tidy); with
# --format only the format, which takes seconds; `scripts/lint.sh FILE...` looks for mistakes in these
# `*.cpp` alone, by their names from the root of the repository.
# Releases of both differ in what they say, so the version is part of the rules.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

install_missing git clang-format-14 clang-tidy-14
cd "$repository"

say "checking the format of the sources"
git ls-files -z -co --exclude-standard '*.hpp' '*.cpp' '*.cuh' '*.cu' ':!wrsgpu/detail/third_party' | xargs -0 clang-format-14 --dry-run -Werror ||
  fail "the sources named above are not formatted; run clang-format-14 -i on them"

[[ ${1:-} != --format ]] || exit 0

# These are constants in device code (wrsgpu/detail/core/bit_width.hpp), those of cuda::std are not; left out is what
# the host alone calls.
if git grep -nE '(^|[^:])std::(bit_(width|ceil|floor)|count[lr]_(zero|one)|popcount|has_single_bit)\b' -- \
  '*.cuh' '*.hpp' '*.cu' ':!wrsgpu/detail/core/bit_width.hpp' ':!wrsgpu/detail/core/exact_double.hpp' ':!examples' ':!prefixsum/work_efficient.hpp'; then
  fail "the functions named above are not for device code; wrsgpu/detail/core/bit_width.hpp says why"
fi

# What is compiled together is looked at together, headers once; files that are named, each by itself.
# CUDA files are nvcc's, which clang-tidy does not know.
say "looking for mistakes with clang-tidy"
if [ $# = 0 ]; then
  wanted=('*.cpp') together=ON
else
  wanted=("$@") together=OFF
fi
commands=$build/lint_$together
cmake -S . -B "$commands" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DWRSGPU_UNITY_BUILD=$together >/dev/null || fail "configuring failed"
cmake --build "$commands" --target wrsgpu_commit >/dev/null || fail "building failed"
compiled=$(python3 -c '
import json, sys
print("\n".join(entry["file"] for entry in json.load(open(sys.argv[1]))))
' "$commands/compile_commands.json")
{
  git ls-files -co --exclude-standard "${wanted[@]}" | sed "s|^|$repository/|" | grep -Fxf <(echo "$compiled")
  grep '/Unity/' <<<"$compiled" || true
} | xargs -P "$(nproc)" -n 1 clang-tidy-14 -p "$commands" --quiet --config-file=.clang-tidy \
  2> >(grep -v 'warnings\? generated' >&2) ||
  fail "clang-tidy found what is named above"
