#!/usr/bin/env python3
"""Compares what the papers claim with what records say.

  experiments/claims.py                        a line for each claim, from the recorded runs of this repository
  experiments/claims.py split_gain             one claim whole: how it is computed, and why it is judged so
  experiments/claims.py --write                writes the tables and numbers of README.md, thesis_notes.md, docs/
  experiments/claims.py --results reproduction --gpu gpu     from other records

Verdicts:
  reproduced    the effect is there, and as large
  differs       it is not as large, or larger where the paper gives no lower bound, or it is there where the
                paper has none, or not there against another program or in another configuration than the paper's
  contradicted  there is none, or the opposite
  reached       an absolute time, rate or energy, or a GPU against a CPU, which newer hardware reaches: it says
                nothing about the method; where it is not reached, it differs
  not measured  no record here has it
  met, missed   a target of ours
  ?             the median of a time that it is from is more than 10% above its minimum, or it was measured once
"more" is published where a paper states an order in words: the ratio is more than 1. experiments/claim_model.py
has the bounds, experiments/claims/*.toml the claims."""

import argparse
import pathlib
import sys

from claim_model import evaluate, load
from claim_sources import figures, sources_of
from generated_text import counts, documents, published, quantity, verdict
from records import RESULTS, Missing, Records

ROOT = RESULTS.parent.parent


def print_table(results):
    rows = [(f"{each.claim.paper} {each.claim.place}", each.claim.says, published(each),
             quantity(each.ours, each.claim.unit), verdict(each), each.claim.id) for each in results]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(counts(results))


def print_whole(result):
    claim = result.claim
    for name, text in (("claim", f"{claim.paper} {claim.place}: {claim.says}"),
                       ("published", f"{published(result)}   {claim.published}"),
                       ("theirs here", claim.theirs and f"{quantity(result.theirs, claim.unit)}   {claim.theirs}"),
                       ("ours", f"{quantity(result.ours, claim.unit)}   {claim.ours}"),
                       ("bounds", claim.bounds), ("verdict", verdict(result)),
                       ("judgement", result.judgement), ("wrong if", result.wrong_if),
                       ("not measured", result.missing),
                       ("made by", "scripts/reproduce.sh " + " ".join(sources_of(result, figures(ROOT))))):
        if text:
            print(f"{name + ':':13} {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help="print these claims whole")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--gpu", default="h200", help="folder of the GPU's records in --results")
    parser.add_argument("--cpu", default="cpu", help="folder of the CPU's records in --results")
    parser.add_argument("--write", action="store_true", help="write what is generated in the documents")
    options = parser.parse_args()
    if not any((options.results / folder).is_dir() for folder in (options.gpu, options.cpu)):
        parser.error(f"argument --results: there is no folder {options.gpu} or {options.cpu} in "
                     f"'{options.results}'")
    claims, records = load(), Records(options.results, options.gpu, options.cpu)
    unknown = set(options.ids) - {claim.id for claim in claims}
    if unknown:
        parser.error(f"there is no claim {', '.join(sorted(unknown))}")
    if options.ids:
        claims = [claim for claim in claims if claim.id in options.ids]
    results = list(evaluate(claims, records))
    if options.write:
        # All of them first: what fails leaves no document half as new as another.
        for path, text in list(documents(ROOT, results, records)):
            path.write_text(text, encoding="utf-8")
    elif options.ids:
        for result in results:
            print_whole(result)
    else:
        print_table(results)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError, Missing) as error:
        print(f"claims.py: {error}", file=sys.stderr)
        sys.exit(2)
