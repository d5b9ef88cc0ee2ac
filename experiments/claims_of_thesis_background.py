"""The claims of the thesis's chapters 1 and 2, on sequential methods and PSA on the CPU."""

from claim_model import Claim, more_than_one, within
from claim_terms import LAW_10_7, UNIFORM, faster, quotient, rate, stated, value

KEY, DRAWS = "cpu/cpu_construction", "cpu/cpu_sampling"


def draws(method):
    return rate(DRAWS, f"sample/{method}_1t/{LAW_10_7}/{{most}}")


def ten_times(method):
    """How many times as long ten times the items take."""
    return faster(KEY, f"construct/{method}_1t/uniform/10000000", f"construct/{method}_1t/uniform/1000000")


def greedy_against_left(records):
    """Items that PSA+ packs greedily against those that it hands on, for each of which it keeps 24 bytes."""
    left = records.value(KEY, f"construct/psa_plus_1t/{UNIFORM}", "extra_bytes_per_item") / 24
    return (1 - left) / left


THESIS_BACKGROUND = (
    Claim("thesis 2.1", "alias table against bisection, sampling on the CPU", stated(1),
          quotient(draws("direct"), draws("scan_binary")), more_than_one,
          note="O(log N) a sample is not efficient enough, in words; i^-1 in random order, one thread, 10^7"),
    Claim("thesis 2.2", "cutpoint against bisection, sampling on the CPU", stated(1),
          quotient(draws("cutpoint"), draws("scan_binary")), more_than_one,
          note="a trade-off of rate and memory, in words; i^-1 in random order, one thread, 10^7"),
    *(Claim(f"thesis 2.4.{section}", f"{name}, time of ten times the items, from 10^6", stated(10),
            ten_times(method), within(1.25), note="O(N), in words")
      for section, name, method in ((2, "Vose", "vose"), (3, "sweep", "sweep"))),
    Claim("thesis 2.4.3", "bytes besides the table, Vose against sweep", stated(1),
          quotient(value(KEY, f"construct/vose_1t/{UNIFORM}", "extra_bytes_per_item"),
                   value(KEY, f"construct/sweep_1t/{UNIFORM}", "extra_bytes_per_item")), more_than_one,
          note="more space efficient, in words; 16 and 0.03 bytes an item"),
    Claim("thesis 2.4.4", "PSA, all threads against one", stated(1),
          faster(KEY, f"construct/psa_1t/{UNIFORM}", f"construct/psa_{{most}}t/{UNIFORM}"), more_than_one,
          note="in parallel, in words; two threads", also=(("thesis 1.5", "(scaling)"),)),
    Claim("thesis 2.4.5", "packed greedily by PSA+ against handed on, uniform", stated(1),
          greedy_against_left, more_than_one, note="a majority, in words"),
)
