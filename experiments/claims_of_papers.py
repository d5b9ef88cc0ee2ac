"""All claims that records can answer: those of the papers, which have files of their own, and our
own targets for the merge construction. Judgements in words are in thesis_notes.md."""

from claim_model import Claim, met
from claim_terms import stated, time
from claims_of_report import REPORT
from claims_of_shuffling import SHUFFLING
from claims_of_thesis_evaluation import THESIS_EVALUATION
from claims_of_thesis_methods import THESIS_METHODS

# Milliseconds to build 8-byte rows from float weights, on one H200.
TARGETS = {"uniform": (0.028, 0.080, 0.55, 5.5),
           "powerlaw_0.5_shuffled": (0.028, 0.085, 0.60, 6.0),
           "powerlaw_1_shuffled": (0.035, 0.12, 0.95, 9.5),
           "powerlaw_1": (0.040, 0.15, 1.1, 11)}
OURS = tuple(
    Claim("our target", f"merge construction, {distribution}, 10^{exponent}", stated(target),
          time("gpu/beyond_construction", f"construct/merge/{distribution}/{10**exponent}"), met,
          "ms", "set for one H200")
    for distribution, targets in TARGETS.items() for exponent, target in enumerate(targets, 6))

CLAIMS = (*THESIS_METHODS, *THESIS_EVALUATION, *REPORT, *SHUFFLING, *OURS)
