"""Rates and statistics that the notes state of shuffles, as documented_ratios.py has ratios: numbers that
stand apart from their unit, with a name between, and those from records that are CSV, which
test_documented_quantities.py does not look up by itself."""

from claims_of_shuffling import passes_in_record, rounds_that_pass, rounds_that_pass_in_record
from ratio_terms import for_each

FULL, ODD = 2**29, 2**29 + 1
FLOOR_OF_CPU = 2**20  # keys from which on the gather bounds the shuffles


def million_keys(method, items, key="gpu/shuffle_methods"):
    return lambda records: 1000 * records.rate(key, f"shuffle/{method}/{items}")


def on_cpu(method, items):
    return million_keys(method, items, "cpu/cpu_shuffle_methods")


def fused(method, *sizes):
    return for_each(lambda items: million_keys(method, items, "gpu/shuffle_fusion"), *sizes)


def on_cpu_above_gather(records):
    """Percent by which the fastest shuffle passes the gather."""
    key = "cpu/cpu_shuffle_methods"
    of = {(method, int(items)): records.ms(key, name) for name in records.rows(key)
          for _, method, items, *_ in [name.split("/")]}
    return 100 * (max(of["gather_2t", items] / ms for (method, items), ms in of.items()
                      if not method.startswith("gather") and items >= FLOOR_OF_CPU) - 1)


def tested(method, rounds, field="statistic", figure="chi_squared_by_rounds", record="verify_shuffles"):
    return lambda records: float(records.table(f"cpu/{record}", figure=figure, method=method,
                                               rounds=str(rounds))[0][field])


def of_many(method, rounds, field="statistic"):
    return tested(method, rounds, field, record="verify_shuffles_4e6")


def p_by_discrepancy(rounds):
    return tested("var_philox", rounds, "p_value", "mmd_by_rounds")


def last_that_fails(method, passes, figure="chi_squared_by_rounds", record="verify_shuffles", below=100):
    def rounds(records):
        return max(int(row["rounds"]) for row in records.table(f"cpu/{record}", figure=figure, method=method)
                   if int(row["rounds"]) < below and not passes(row))
    return rounds


def passes_at_5_percent(row):
    return float(row["p_value"]) >= 0.05


def in_record(field, factor=1):
    return lambda records: factor * float(
        records.table("cpu/verify_shuffles", figure="chi_squared_by_rounds", method="var_philox")[0][field])


SHUFFLES = (
    ("2^29 64-bit keys: ours #, Bijective2 #, sorting #, dart throwing # million keys/s",
     *for_each(lambda method: million_keys(method, FULL),
               "cycle_walk", "bijective2_varphilox", "sort", "dart_throwing")),
    ("# million keys/s at 2^20, # at 2^24, # at 2^29 (`shuffle_methods.json`)",
     *for_each(lambda items: million_keys("gather", items), 2**20, 2**24, FULL)),
    ("# and # million keys/s at 2^29 and 2^29 + 1 (`shuffle_fusion.json`)",
     *fused("bijective0_varphilox", FULL, ODD)),
    ("into a two-pass scan. | `shuffle/gpu_bijective.cu` | `experiments/shuffle_fusion.cpp` | – | # and # "
     "(`shuffle_fusion.json`)", *fused("bijective1_varphilox", FULL, ODD)),
    ("# and # (`shuffle_fusion.json`); Thrust's # and # (`shuffle_methods.json`)",
     *fused("bijective2_varphilox", FULL, ODD),
     *for_each(lambda items: million_keys("thrust_shuffle_copy", items), FULL, ODD)),
    ("| 2^29 + 1: gather #, VarPhilox #, LCG #, dart throwing #, sorting #, ours # (`shuffle_methods.json`)",
     *for_each(lambda method: million_keys(method, ODD), "gather", "bijective2_varphilox", "bijective2_lcg",
               "dart_throwing", "sort", "cycle_walk")),
    ("| 2^26 + 1: gather #, VarPhilox #, LCG # (`shuffle_methods.json`)",
     *for_each(lambda method: million_keys(method, 2**26 + 1),
               "gather", "bijective2_varphilox", "bijective2_lcg")),
    ("| 2^29 + 1 keys on two threads: gather #, VarPhilox #, cycle walking #, Rao–Sandelius #, MergeShuffle #, "
     "sort #, dart throwing #; `std::shuffle` # on one. 2^20 + 1: gather #, VarPhilox #, Rao–Sandelius #",
     *for_each(lambda method: on_cpu(method, ODD), "gather_2t", "bijective_varphilox_2t", "cycle_walk_2t",
               "rao_sandelius_2t", "merge_shuffle_2t", "sort_2t", "dart_throwing_2t", "std_shuffle_1t"),
     *for_each(lambda method: on_cpu(method, 2**20 + 1),
               "gather_2t", "bijective_varphilox_2t", "rao_sandelius_2t")),
    ("Ours bounds the shuffles from 2^20 on, within #%. For small arrays it does not: #, # and # million keys/s "
     "at 2^8 + 1, 2^11 + 1 and 2^14 + 1, Rao–Sandelius #, # and #; with one thread it has # at 2^14 + 1",
     on_cpu_above_gather,
     *(on_cpu(method, 2**k + 1) for method in ("gather_2t", "rao_sandelius_2t") for k in (8, 11, 14)),
     on_cpu("gather_1t", 2**14 + 1)),
    ("Fisher–Yates with MT19937-64, has #, # and #.",
     *for_each(lambda k: on_cpu("std_shuffle_1t", 2**k + 1), 8, 11, 14)),
    # The statistical tests
    ("by rounds, at n = 5, VariablePhilox fails up to #, at 5% up to # and at 18, 26 and 40 (p = #, # and #)",
     last_that_fails("var_philox", passes_in_record, "mmd_by_rounds"),
     last_that_fails("var_philox", passes_at_5_percent, "mmd_by_rounds", below=18),
     *for_each(p_by_discrepancy, 18, 26, 40)),
    ("than chi-squared at n = 5, where VariablePhilox fails up to # rounds by the same level",
     last_that_fails("var_philox", passes_in_record)),
    ("Reproduced: by the limit of #% (145.5) # rounds still fail, and # to # pass. By the record's own, "
     "#·10^-5 (#), # pass as well", lambda _: 5, last_that_fails("var_philox", passes_at_5_percent),
     rounds_that_pass, lambda _: 40, in_record("level", 1e5), in_record("threshold_chi_squared"),
     rounds_that_pass_in_record),
    ("Our bijection fails by 5% up to # rounds, and again at 26 and 34 (p = # and #)",
     last_that_fails("lazy", passes_at_5_percent, below=26),
     *for_each(lambda rounds: tested("lazy", rounds, "p_value"), 26, 34)),
    ("VariablePhilox fails up to # rounds (#), by the level of that record, and has # with 24 (p = #); ours "
     "fails up to # and has # with 20",
     last_that_fails("var_philox", passes_in_record, record="verify_shuffles_4e6"), of_many("var_philox", 22),
     of_many("var_philox", 24), of_many("var_philox", 24, "p_value"),
     last_that_fails("lazy", passes_in_record, record="verify_shuffles_4e6"), of_many("lazy", 20)),
)
