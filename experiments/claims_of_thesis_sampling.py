"""The claims of the thesis's chapters 3 to 5 on which of its samplers is faster; the rates are in
claims_of_thesis_evaluation.py."""

from claim_model import Claim, about, more_than_one
from claim_terms import draw, quotient, rate, stated
from records import Missing

MULTIPROCESSORS = 132  # of an H100 or H200, for which grid_sizes chooses its numbers of blocks
SWEEPS = ((6, "thesis_figure_5_7"), (7, "thesis_figure_5_8"))
REPORT_4, REPORT_5 = ("report 6.2", "Figure 4"), ("report 6.2", "Figure 5")


def swept(sampler, rows, samples):
    return rate("gpu/samples_sweep", f"sample/{sampler}/uniform/{rows}/{samples}")


def limited_against_cached(exponent):
    """With xorwow and without output, as there; the runs are two, in both of which the baseline sampler
    has the same rate within 0.3%."""
    rest = f"no_output/powerlaw_1_shuffled/{10**exponent}/{10**9}"
    return quotient(rate("gpu/sampling", f"sample/cached_limited_xorwow_{rest}"),
                    rate("gpu/row_loads", f"sample/cached_xorwow_loads_128_{rest}"))


def multiples_against_others(records):
    """The best grid of a multiple of the multiprocessors against the best of the others."""
    best = {True: 0, False: 0}
    for name in records.rows("gpu/grid_sizes"):
        if name.startswith("sample/baseline_xorwow_no_output/"):
            is_multiple = int(name.split("/")[-1].split("x")[0]) % MULTIPROCESSORS == 0
            best[is_multiple] = max(best[is_multiple], records.rate("gpu/grid_sizes", name))
    if not all(best.values()):
        raise Missing("gpu/grid_sizes has no grids of both kinds")
    return best[True] / best[False]


def best_sections_against_baseline(rows, samples):
    def ratio(records):
        name = "sample/{}/uniform/" + f"{rows}/{samples}"
        found = {sampler: records.rate("gpu/sampler_heatmap", name.format(sampler))
                 for sampler in ("baseline", "cached", "cached_limited", "shared_memory")}
        return max(found[sampler] for sampler in found if sampler != "baseline") / found["baseline"]
    return ratio


THESIS_SAMPLING = (
    Claim("thesis 3.4.1", "baseline sampler, 10^6 rows against 10^8", stated(1),
          quotient(draw("baseline", 10**6), draw("baseline", 10**8)), more_than_one,
          note="the more of the table the cache holds, the faster, in words"),
    Claim("thesis 3.4.1", "baseline sampler, 10^8 samples against 10^5", stated(1),
          quotient(swept("baseline", 10**6, 10**8), swept("baseline", 10**6, 10**5)), more_than_one,
          note="the throughput scales with the number of samples, in words"),
    Claim("thesis 3.4.2", "sections left to the cache against the baseline, 10^6 rows", stated(1),
          quotient(draw("cached", 10**6), draw("baseline", 10**6)), about,
          note="a small increase, in words (3.4.3); 6.0 times for 10^7 rows and 6.5 for 10^8"),
    *(Claim("thesis 3.4.3", f"limited sections against those left to the cache, 10^{exponent} rows",
            stated(1), limited_against_cached(exponent), more_than_one,
            note="meant to be faster, in words; with xorwow, nothing written, from two runs; with Philox, written, 0.96 "
                 "times for 10^6 rows and 1.05 for 10^7 and 10^8")
      for exponent in (6, 7)),
    Claim("thesis 3.4.4", "shared memory sections against limited ones, 10^6 rows", stated(1),
          quotient(draw("shared_memory", 10**6), draw("cached_limited", 10**6)), more_than_one,
          note="higher peak speeds, in words"),
    Claim("thesis 3.4.4", "limited sections against shared memory, 10^7 samples of 10^6 rows", stated(1),
          quotient(swept("cached_limited", 10**6, 10**7), swept("shared_memory", 10**6, 10**7)),
          more_than_one, note="a higher startup overhead of shared memory, in words"),
    Claim("thesis 4.7.2", "blocks a multiple of the multiprocessors against others, xorwow", stated(1),
          multiples_against_others, more_than_one, note="peaks, in words; the best grid of each",
          row="Figure 4.6"),
    Claim("thesis 4.7.3", "limited sections that fit the L1 against larger ones", stated(1),
          quotient(rate("gpu/section_size", "sample/cached_limited/uniform/1000000/1000000000/12288"),
                   rate("gpu/section_size", "sample/cached_limited/uniform/1000000/1000000000/32768")),
          more_than_one,
          note="optimal cache utilization, in words; 12,288 rows against 32,768, which take 512 kB"),
    *(Claim("thesis 5.3", f"few samples, baseline against shared memory, 10^{exponent} rows", stated(1),
            quotient(swept("baseline", 10**exponent, 10**5), swept("shared_memory", 10**exponent, 10**5)),
            more_than_one, note="10^5 samples", row="Figures 5.7", also=(REPORT_4,), figure=figure)
      for exponent, figure in SWEEPS),
    *(Claim("thesis 5.3", f"many samples, shared memory against baseline, 10^{exponent} rows", stated(1),
            quotient(swept("shared_memory", 10**exponent, 10**9), swept("baseline", 10**exponent, 10**9)),
            more_than_one, note="10^9 samples", row="Figures 5.7", also=(REPORT_4,), figure=figure)
      for exponent, figure in SWEEPS),
    Claim("thesis 5.3", "many samples, the best sections against the baseline, 10^8 rows", stated(1),
          best_sections_against_baseline(10**8, 10**9), about,
          note="sections are better for small tables, in words, and for 10^8 rows the tables have the "
               "baseline as the fastest", row="Figure 5.9", also=(REPORT_5,)),
    Claim("thesis 5.3", "many samples, the best sections against the baseline, 10^6 rows", stated(1),
          best_sections_against_baseline(10**6, 10**9), more_than_one, row="Figure 5.9", also=(REPORT_5,)),
)
