#!/usr/bin/env bash
# Runs the experiments of the papers that this machine can run, draws their figures and compares what
# the papers claim with what was measured here. `scripts/reproduce.sh --help` says more.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

reproduce=$repository/experiments/reproduce.py
for argument in "$@"; do
  case $argument in
    # Nothing has to be built for these, or it has been.
    list | --records | --dry-run | --targets | --build | --build=* | -h | --help)
      python=$(find_python 2>/dev/null) || python=python3 # the figures alone need more
      exec "$python" "$reproduce" "$@"
      ;;
  esac
done

# Wrong arguments end here, before anything is installed.
command -v python3 >/dev/null && python3 "$reproduce" --dry-run "$@" >/dev/null
install_missing
configure
python=$(find_python)
targets=$("$python" "$reproduce" --targets "$@")
# shellcheck disable=SC2086 # several words
build_targets $targets
exec "$python" "$reproduce" "$@"
