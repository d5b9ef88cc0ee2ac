#!/usr/bin/env python3
"""Prints what the papers claim beside what records say: published, ours, their ratio, a verdict, and what
makes it: `scripts/reproduce.sh --full` with these words measures it again, and plots/figures has the
pictures. The claims are listed in claims_of_papers.py; published numbers come from plots/published.

  experiments/claims.py                       the recorded runs of this repository
  experiments/claims.py --results reproduction --gpu gpu

Verdicts:
  reproduced    the effect is there, and as large
  differs       it is not as large, or larger where the paper gives no lower bound, or it is there
                where the paper has none, or not there against another program than the paper's
  contradicted  there is none, or the opposite
  reached       an absolute time, rate or energy, or a GPU against a CPU, which newer hardware
                reaches: it says nothing about the method; where it is not reached, it differs
  not measured  no record here has it
  met, missed   a target of ours
  ?             the median of a time that it is from is more than 10% above its minimum, or it was measured
                once
"more" is published where an order is stated in words: that the ratio is more than 1. The notes speak of the
recorded runs of this repository."""

import argparse
import pathlib
import sys

from claim_model import NOISE, evaluate, more_than_one
from claim_sources import figures, sources_of
from claims_of_papers import CLAIMS
from records import RESULTS, Records


def number(value, width):
    if value is None:
        return "-".rjust(width)
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")).rjust(width)


def print_table(results, notes=False):
    results = list(results)
    if not results:
        return
    known = figures(RESULTS.parent.parent)
    width = max(len(each.claim.place) for each in results)
    what = max(len(each.claim.what) for each in results)
    print(f"{'where':{width}}  {'claim':{what}}  {'published':>9}  {'ours':>9}  {'unit':11}  "
          f"{'ratio':>7}  {'verdict':14}  made by reproduce.sh")
    for each in results:
        ratio = None if each.ours is None else each.ours / each.published
        in_words = each.claim.judge is more_than_one  # an order, without a number
        published = "more".rjust(9) if in_words else number(each.published, 9)
        verdict = f"{each.verdict}{' ?' if each.noisy else ''}"
        print(f"{each.claim.place:{width}}  {each.claim.what:{what}}  "
              f"{published}  {number(each.ours, 9)}  {each.claim.unit:11}  "
              f"{number(ratio, 7)}  {verdict:14}  {' '.join(sources_of(each, known))}")
        if notes and each.claim.note:
            print(f"{'':{width}}    {each.claim.note}")
    verdicts = [each.verdict for each in results]
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(sorted(verdicts))}
    print(f"{len(results)} claims: "
          + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if any(each.noisy for each in results):
        print(f"? a time that this is from varies: its median is more than {NOISE:.0%} above its minimum, "
              "or was measured once")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--gpu", default="h200", help="folder of the GPU's records in --results")
    parser.add_argument("--cpu", default="cpu", help="folder of the CPU's records in --results")
    parser.add_argument("--notes", action="store_true",
                        help="also what to bear in mind where hardware or method differ")
    parser.add_argument("--check", action="store_true",
                        help="exit 1 if something is not measured")
    options = parser.parse_args()
    if not any((options.results / folder).is_dir() for folder in (options.gpu, options.cpu)):
        parser.error(f"argument --results: there is no folder {options.gpu} or {options.cpu} in "
                     f"'{options.results}'")
    results = list(evaluate(CLAIMS, Records(options.results, options.gpu, options.cpu)))
    print_table(results, options.notes)
    missing = list(dict.fromkeys(each.missing for each in results if each.missing))
    for why in missing if options.check else ():
        print(f"claims.py: {why}", file=sys.stderr)
    return 1 if options.check and missing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as error:
        print(f"claims.py: {error}", file=sys.stderr)
        sys.exit(2)
