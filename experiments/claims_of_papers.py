"""All claims that records can answer: those of the papers, which have files of their own, and our
own targets for construction and sampling. Judgements in words are in thesis_notes.md."""

import math

from claim_model import Claim, met_by_rate, met_by_time
from claim_terms import rate, sample, stated, time
from claims_of_report import REPORT
from claims_of_shuffling import SHUFFLING
from claims_of_thesis_background import THESIS_BACKGROUND
from claims_of_thesis_evaluation import THESIS_EVALUATION
from claims_of_thesis_methods import THESIS_METHODS
from claims_of_thesis_sampling import THESIS_SAMPLING
from ratios import EXACT, N, exact_against_floating
from records import Missing

# Set for one H200: milliseconds to build 8-byte rows from float weights.
CONSTRUCTION = {"uniform": {6: 0.028, 7: 0.080, 8: 0.55, 9: 5.5},
                "powerlaw_0.5_shuffled": {6: 0.028, 7: 0.085, 8: 0.60, 9: 6.0},
                "powerlaw_1_shuffled": {6: 0.035, 7: 0.12, 8: 0.95, 9: 9.5},
                "powerlaw_1": {6: 0.040, 7: 0.15, 8: 1.1, 9: 11}}
# GSamples/s, written, of i^-1 shuffled: by sections from 10^9 samples on, in random order 10^9.
SECTIONED = {6: 900, 7: 900, 8: 850, 9: 700}
RANDOM_ORDER = {4: ("small_table", 800), 6: ("direct", 150), 7: ("direct_short", 120),
                8: ("direct_sectioned", 45), 9: ("direct_sectioned", 40)}
SMALL_DRAW_MS = 0.015  # 10^6 samples of 10^7 rows


def ratios_to_psa(records, method="merge"):
    """How many times as fast as the best PSA or PSA+ the merge is, for each weights and size that all
    three were measured for, from weights of the same type: double ones if the method says
    so."""
    key = "gpu/beyond_construction"
    is_double = method.endswith("_double")
    psa, psa_plus, merge = {}, set(), {}
    for name in records.rows(key):
        _, built_by, *weights_and_size = name.split("/")
        of = tuple(weights_and_size)
        if built_by == method:
            merge[of] = records.ms(key, name)
        elif "_masses" in built_by and built_by.endswith("_double") == is_double:
            psa[of] = min(psa.get(of, math.inf), records.ms(key, name))
            if "_psa_plus" in built_by:
                psa_plus.add(of)
    ratios = {of: best / merge[of] for of, best in psa.items() if of in psa_plus & merge.keys()}
    if not ratios:
        raise Missing(f"{key} has no {method} of the weights that PSA was measured for")
    return ratios


def least_against_psa(*methods):
    return lambda records: min(min(ratios_to_psa(records, method).values()) for method in methods)


def most_temporary_bytes(records):
    """An item, of all exact tables that are recorded: of still fewer items some kilobytes weigh more."""
    key = "gpu/beyond_construction"
    return max(records.value(key, name, "temporary_bytes_per_item") for name in records.rows(key)
               if "_masses" not in name)


def most_against_floating(records):
    """How many times as long as the best floating-point table the merge takes on the CPU, for the
    weights where that is most."""
    key = "cpu/cpu_construction"
    found = exact_against_floating(records.rows(key))
    if not found:
        raise Missing(f"{key} has no exact table")
    return max(records.ms(key, f"construct/{EXACT}_2t/{weights}/{N}") / best
               for weights, (_, _, best) in found.items())


OURS = (
    *(Claim("our target", f"merge construction, {distribution}, 10^{exponent}", stated(target),
            time("gpu/beyond_construction", f"construct/merge/{distribution}/{10**exponent}"),
            met_by_time, "ms", figure="construction_roofline")
      for distribution, targets in CONSTRUCTION.items() for exponent, target in targets.items()),
    Claim("our target", "merge construction against the best PSA, least of the inputs measured", stated(1),
          least_against_psa("merge", "merge_double"), met_by_rate,
          note="10 families of float weights, 10^3 to 10^9, and of double ones, 10^3 to 10^8; rows of 8 "
               "bytes, PSA's of 8 or 16",
          figure="construction_roofline"),
    Claim("our target", "merge construction against the best PSA, rows of 16 bytes, least of the inputs", stated(1),
          least_against_psa("merge_wide", "merge_wide_double"), met_by_rate,
          note="the target was stated of rows of 8 bytes; one_light of 10^7 double weights is less",
          figure="construction_roofline"),
    Claim("our target", "merge construction, temporary bytes an item, most of the inputs", stated(8),
          most_temporary_bytes, met_by_time, "bytes", note="tables of 10^3 items and more, either form",
          figure="construction_roofline"),
    Claim("our target", "CPU, merge against the best floating-point table, most of the inputs, 10^7",
          stated(1.1), most_against_floating, met_by_time,
          note="11 families of double weights, two threads; rows of 8 bytes against 16; merged tables in cpu/, "
               "by lanes, as is the default since, in cpu_emerald_rapids/ and cpu_zen3/ (--cpu)",
          figure="cpu_construction"),
    *(Claim("our target", f"10^{samples} samples by sections, Philox of {rounds} rounds, 10^{exponent}",
            stated(target), rate("gpu/beyond_sampling", sample(sampler, 10**exponent, 10**samples)),
            met_by_rate, "GSamples/s", figure="sampling_roofline",
            note="the target is for 10^9 samples or more" if samples == 9 else "")
      for samples in (10, 9)
      for sampler, rounds in (("sectioned_philox7", 7), ("sectioned", 10))
      for exponent, target in SECTIONED.items()),
    *(Claim("our target", f"sampling in random order, {sampler}, 10^{exponent}", stated(target),
            rate("gpu/beyond_sampling", sample(sampler, 10**exponent)), met_by_rate, "GSamples/s",
            figure="sampling_roofline")
      for exponent, (sampler, target) in RANDOM_ORDER.items()),
    *(Claim("our target", f"10^6 samples in random order, 2-byte rows kept, 10^7 of {distribution}",
            stated(SMALL_DRAW_MS),
            time("gpu/beyond_sampling", f"sample/direct_short_kept/{distribution}/{10**7}/{10**6}"),
            met_by_time, "ms")
      for distribution in ("uniform", "powerlaw_1_shuffled")),
    Claim("our target", "10^6 samples in random order, table as built, 10^7", stated(SMALL_DRAW_MS),
          time("gpu/beyond_sampling", sample("direct", 10**7, 10**6)), met_by_time, "ms"))

CLAIMS = (*THESIS_BACKGROUND, *THESIS_METHODS, *THESIS_EVALUATION, *THESIS_SAMPLING, *REPORT, *SHUFFLING,
          *OURS)
