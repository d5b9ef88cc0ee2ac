#!/usr/bin/env python3
"""Checks that `best_parameters.py` gives the best parameters of a search with all that it tried, in order.

Usage: test_best_parameters.py
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

import best_parameters
from faults import report


def row(name, ms, **counters):
    return {"name": f"tuning/{name}", "ms": ms} | counters


RECORD = {"context": {}, "benchmarks": [
    row("psa_plus_default/uniform/1000", 4.0),
    # As texts, 10 would be before 9.
    *(row(f"psa_plus_trial/uniform/1000/{number}", 20.0 - number, section_items=number, greedy_min_items=64)
      for number in range(11)),
    row("psa_plus_best/uniform/1000", 3.0, section_items=10, greedy_min_items=64),
    row("psa_default/uniform/1000", 6.0),
    row("psa_best/uniform/1000", 5.0, section_items=32, items_per_second=7.0),
]}


def faults():
    entries = {entry["method"]: entry for entry in best_parameters.best_parameters(RECORD)}
    if set(entries) != {"psa", "psa_plus"}:
        yield f"there are entries of {sorted(entries)}"
        return
    plus, psa = entries["psa_plus"], entries["psa"]
    if [trial["section_items"] for trial in plus["tried"]] != list(range(11)):
        yield f"what was tried is not in order: {plus['tried']}"
    if plus["tried"][0] != {"section_items": 0, "greedy_min_items": 64, "milliseconds": 20.0}:
        yield f"the first trial is {plus['tried'][0]}"
    if (plus["milliseconds"], plus["milliseconds_of_defaults"], plus["greedy_min_items"]) != (3.0, 4.0, 64):
        yield f"the best is {plus}"
    if psa != {"method": "psa", "distribution": "uniform", "items": 1000, "section_items": 32, "milliseconds": 5.0,
               "milliseconds_of_defaults": 6.0, "tried": []}:
        yield f"without trials the best is {psa}"


if __name__ == "__main__":
    sys.exit(report([*faults()]))
