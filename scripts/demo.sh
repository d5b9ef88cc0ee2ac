#!/usr/bin/env bash
# Installs what is missing, builds, and does the main job on real input: from the word counts of a
# book to a verified alias table, ten million samples, their statistics and a picture of them.
# Arguments go to wrsgpu_demo, for example --device cpu or --samples 1e6.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

install_missing
configure
build_targets wrsgpu_demo wrsgpu_cli

output=$repository/demo-output
mkdir -p "$output"
say "sampling words"
"$build/cli/wrsgpu_demo" --weights "$repository/examples/data/kjv_word_counts.csv" \
  --output "$output/words.json" "$@"

say "drawing the picture"
commit=$(git -C "$repository" rev-parse --short HEAD 2>/dev/null || true)
python=$(find_python)
"$python" "$repository/plots/word_frequencies.py" "$output/words.json" "$output/words" \
  ${commit:+"$commit"}
say "wrote demo-output/words.png, words.svg and words.json"
say "next: build/cli/wrsgpu --help"
