#!/usr/bin/env bash
# Runs an experiment and keeps what it measured as experiments/results/<machine>/<experiment>.json.
#   scripts/record.sh cpu cpu_construction [arguments of the experiment]
# The machine is a folder's name (cpu, h200, ...). From the environment: BUILD_DIR, the build to use
# (default: build); RESULTS, the folder that it keeps runs in (default: experiments/results). A run that
# lacks rows of the record in its place, as one of some methods does, is not kept there.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: scripts/record.sh <machine> <experiment> [argument...]" >&2
  exit 2
fi
machine=$1
experiment=$2
shift 2
for name in "$machine" "$experiment"; do
  if ! [[ $name =~ ^[A-Za-z0-9_]+$ ]]; then
    echo "record.sh: '$name' is no name of a machine or experiment" >&2
    exit 2
  fi
done

cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build}
if ! [[ -f $build/CMakeCache.txt ]]; then
  echo "record.sh: no build in '$build'; configure one: cmake -B $build" >&2
  exit 2
fi
cmake --build "$build" --target "$experiment"
if ! git diff --quiet HEAD -- . ':(exclude)experiments/results'; then
  echo "record.sh: the tree has changes that are not committed; the record will say -dirty, which documentation.record_commits refuses: commit first" >&2
fi

results=${RESULTS:-experiments/results}/$machine
mkdir -p "$results"
new=$(mktemp "$results/.$experiment.XXXXXX")
trap 'rm -f "$new"' EXIT
"$build/experiments/$experiment" --benchmark_out="$new" --benchmark_out_format=json "$@"
python3 scripts/clean_record.py "$new"
python3 experiments/torch_rows.py "$new"
record=$results/$experiment.json
if [[ -f $record ]] && ! python3 scripts/lost_rows.py "$record" "$new"; then
  mv "$new" "${TMPDIR:-/tmp}/$experiment.json"
  echo "record.sh: the run is in ${TMPDIR:-/tmp}/$experiment.json; for a record of its own, set RESULTS" >&2
  exit 1
fi
chmod 644 "$new"
mv "$new" "$record"
trap - EXIT
echo "recorded: $record"
