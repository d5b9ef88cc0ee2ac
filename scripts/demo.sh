#!/usr/bin/env bash
# Installs what is missing, builds the program, and does the main job on real input: from the word
# counts of a book to a verified alias table, ten million samples and a picture of how often each word
# was drawn. Arguments go to the program, for example --device cpu or --samples 1e6.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

install_missing
configure
build_targets wrsgpu_cli

cd "$repository"
run() {
  say "wrsgpu $*"
  "$build/cli/wrsgpu" "$@"
}
case " $* " in
*" --samples"*) ;;
*) set -- --samples 1e7 "$@" ;;
esac
counts=examples/data/kjv_word_counts.csv
mkdir -p demo-output
run verify --weights $counts --quiet --timings "$@"
run sample --weights $counts --labels word --histogram --output demo-output/words.csv "$@"

say "drawing the picture"
commit=$(git rev-parse --short HEAD 2>/dev/null || true)
python=$(find_python)
"$python" plots/word_frequencies.py $counts demo-output/words.csv demo-output/words ${commit:+"$commit"}
say "wrote words.csv, words.png and words.svg to demo-output"
say "next: build/cli/wrsgpu --help"
