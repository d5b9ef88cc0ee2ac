"""The claims of the thesis, the report and the shuffling paper that records can answer, and our own
targets for the merge construction. Judgements in words are in thesis_notes.md."""

import functools

from claims import (Claim, Missing, about, at_least, at_most, met, more_than_one, published, up_to,
                    within)

UNIFORM, LAW = "uniform/10000000", "powerlaw_1_shuffled/10000000"
SPLITS = (*range(1024, 10241, 1024), *(10240 * 2**k for k in range(1, 7)))
CHUNKED = "partial_p_ary_chunked_masses"
SHARED = "partial_p_ary_shared_memory_masses"


# Published numbers.
def thesis(quantity, **wanted):
    return functools.partial(published, "thesis_text", quantity=quantity, **wanted)


def table(name, machine, items=None, **wanted):
    if items:
        wanted["items"] = items
    return functools.partial(published, name, machine=machine, **wanted)


def times_faster(percent, saved=False):
    """The ratio that "15% faster" stands for, or "15% less time"."""
    return lambda: 1 / (1 - percent() / 100) if saved else 1 + percent() / 100


def ratio_of(first, second):
    return lambda: first() / second()


def stated(value):
    """For claims in words."""
    return lambda: value


# Ours.
def time(key, name):
    return lambda records: records.ms(key, name)


def rate(key, name):
    return lambda records: records.rate(key, name)


def value(key, name, field, factor=1):
    return lambda records: factor * records.value(key, name, field)


def faster(key, slow, fast):
    """How many times the time of `fast` that of `slow` is."""
    return lambda records: records.ms(key, slow) / records.ms(key, fast)


def most(*ratios):
    return lambda records: max(ratio(records) for ratio in ratios)


def quotient(first, second):
    return lambda records: first(records) / second(records)


def counter(name, field):
    return lambda records: records.counter(name, field)


def split(method, splits):
    return f"split/{method}/{UNIFORM}/{splits}"


def pack(method, items="10000000", distribution="uniform"):
    return f"construct/partial_p_ary_{method}/{distribution}/{items}"


def milestones(before, after):
    return faster("gpu/progress", f"construct/{before}/{UNIFORM}", f"construct/{after}/{UNIFORM}")


def slow_pack(method):
    return faster("gpu/uncompetitive_packs", pack(method), pack("baseline"))


def readable(method):
    return faster("gpu/pack_methods", pack(method.replace("_masses", "") + "_branched"
                                           + "_masses" * method.endswith("_masses")), pack(method))


def per_item(method):
    return lambda records: records.ms("gpu/uncompetitive_packs", pack(method)) * 1e6 / 1e7


def build_gpu(items):
    return time("gpu/construction", f"construct/{CHUNKED}/powerlaw_1_shuffled/{items}")


def build_cpu(distribution=LAW):
    return time("cpu/cpu_construction", f"construct/psa_{{most}}t/{distribution}")


def draw(sampler, items):
    return rate("gpu/sampling", f"sample/{sampler}/powerlaw_1_shuffled/{items}/1000000000")


def draw_cpu(items):
    return rate("cpu/cpu_sampling",
                f"sample/batched_{{most}}t/powerlaw_1_shuffled/{items}/{{most}}")


def joules(name):
    return value("gpu/energy", f"energy/{name}", "joules")


HOSTS = "another GPU against another CPU; ours is against all threads of the machine of the CPU record"
NEWER = "a data centre GPU of 2023 against the paper's"

THESIS = (
    Claim("thesis 3.1.3", "inverse split, slowdown against the baseline",
          thesis("slowdown_against_baseline_split", method="inverse_split"),
          faster("gpu/split_methods", split("inverse", 1024), split("baseline", 1024)), up_to,
          note="grows with the splits that a GPU finds at a time"),
    Claim("thesis 3.1.3", "parallel inverse split, slowdown against the baseline",
          thesis("slowdown_against_baseline_split", method="parallel_inverse_split"),
          faster("gpu/split_methods", split("parallel_inverse", 1024), split("baseline", 1024)),
          up_to),
    Claim("thesis 3.2.5", "pre-filled table, slowdown of construction",
          thesis("slowdown_against_baseline_pack", method="prefilled_table"),
          slow_pack("prefilled"), about, note="varies from run to run, see thesis_notes.md"),
    Claim("thesis 3.2.5", "weights of the lists precomputed, slowdown",
          thesis("slowdown_against_baseline_pack", method="precomputed_weights"),
          slow_pack("precomputed_weights"), about, note="there of the pack step alone"),
    Claim("thesis 4.5.5", "sweeping pack, plain loop, slowdown",
          thesis("slowdown_against_baseline_pack", note="plain loop"), slow_pack("sweeping"), up_to,
          note="a large L2 holds what the search reads again"),
    Claim("thesis 4.5.5", "sweeping pack, one loop for both branches, slowdown",
          thesis("slowdown_against_baseline_pack", note="one loop for both branches"),
          slow_pack("sweeping_shared_loop"), up_to,
          note="a large L2 holds what the search reads again"),
    Claim("thesis 4.5.5", "reordered lists, largest slowdown",
          thesis("slowdown_against_baseline_pack", note="highest"), slow_pack("reordered_random"),
          up_to),
    Claim("thesis 4.2", "CUB's prefix sum against the work-efficient one",
          thesis("speedup_of_cub_prefix_sum"),
          faster("gpu/prefixsum", "prefixsum/work_efficient/double/268435456",
                 "prefixsum/cub/double/268435456"), up_to),
    Claim("thesis 4.3", "flags on demand against a classification kernel",
          thesis("speedup_over_classification_kernel"),
          faster("gpu/partition_methods", f"partition/classification_kernel/{UNIFORM}",
                 f"partition/on_demand/{UNIFORM}"), about),
    Claim("thesis 4.3", "CUB's partition against flags on demand",
          thesis("speedup_over_on_demand_classification"),
          faster("gpu/partition_methods", f"partition/on_demand/{UNIFORM}",
                 f"partition/cub/{UNIFORM}"), about),
    Claim("thesis 4.6", "own partition against CUB's", stated(1),
          faster("gpu/partition_methods", f"partition/cub_masses/{UNIFORM}",
                 f"partition/custom_masses/{UNIFORM}"), about,
          note="ours keeps the order of the items, theirs takes places by atomics"),
    Claim("thesis 4.5.1", "reads after the branch, largest speedup",
          thesis("speedup_of_branch_free_reads"),
          most(*map(readable, ("baseline", "baseline_masses", "shared_memory",
                               "shared_memory_masses", "chunked", "chunked_masses"))), up_to),
    Claim("thesis 4.5.4", "asynchronous copies, chunked pack",
          thesis("speedup_of_asynchronous_copies"),
          faster("gpu/pack_methods", pack("chunked_masses"), pack("chunked_async_masses")), about),
    Claim("thesis 4.7.1", "xorwow without a table", thesis("generator_throughput", method="xorwow"),
          rate("gpu/generators", "generate/xorwow_subsequence/1000000000"), at_least, "G words/s",
          NEWER),
    Claim("thesis 4.7.1", "Mersenne Twister without a table",
          thesis("generator_throughput", method="mersenne_twister"),
          rate("gpu/generators", "generate/mtgp32/1000000000"), at_least, "G words/s", NEWER),
    Claim("thesis 4.7.2", "seeding by pK-pT, baseline sampler, 10^9 samples",
          times_faster(thesis("throughput_gain_of_pk_pt")),
          faster("gpu/seeding",
                 "sample/baseline_xorwow_subsequence_no_output/uniform/1000000/1000000000",
                 "sample/baseline_xorwow_pkpt_sha1_no_output/uniform/1000000/1000000000"), about),
    Claim("thesis 4.8.2", "128-bit stores, pack step",
          times_faster(thesis("gain_of_pack_step_by_128bit_stores")),
          quotient(value("gpu/optimizations", f"construct/stores_64/{UNIFORM}", "pack_us"),
                   value("gpu/optimizations", f"construct/stores_128/{UNIFORM}", "pack_us")), about),
    Claim("thesis 4.8.2", "128-bit stores, less written to the L2",
          ratio_of(thesis("l2_writes_64bit_stores"), thesis("l2_writes_128bit_stores")),
          quotient(counter("construct/stores_64/uniform/50000000", "l2_sectors_written"),
                   counter("construct/stores_128/uniform/50000000", "l2_sectors_written")), about),
    Claim("thesis 4.8.2", "pack, written against the size of the table",
          ratio_of(thesis("global_writes", method="shared_memory_pack"),
                   thesis("global_writes_theory", method="shared_memory_pack")),
          lambda records: records.counter("construct/stores_128/uniform/50000000",
                                          "memory_bytes_written") / 800e6, within(1.25)),
    Claim("thesis 4.8.2", "pack, read against the size of the lists",
          ratio_of(thesis("global_reads", method="shared_memory_pack"),
                   thesis("global_reads_theory", method="shared_memory_pack")),
          lambda records: records.counter("construct/stores_128/uniform/50000000",
                                          "memory_bytes_read") / 800e6, within(1.25),
          note="sectors are read again when a narrow store finds them gone from the L2"),
    Claim("thesis 4.8.2", "sections in shared memory, less read than by the baseline sampler",
          ratio_of(thesis("global_reads", method="baseline_sampler"),
                   thesis("global_reads", method="shared_memory_sectioned_sampler")),
          quotient(counter("sample/baseline_no_output/powerlaw_1_shuffled/1000000/1000000000",
                           "l2_sectors_read"),
                   counter("sample/shared_memory_no_output/powerlaw_1_shuffled/1000000/1000000000",
                           "l2_sectors_read")), up_to, note="ours from the L2, theirs from memory"),
    Claim("thesis 4.8.3", "two streams for the prefix sums",
          times_faster(thesis("time_saved_by_streams")),
          faster("gpu/optimizations", f"construct/sums_one_by_one/{UNIFORM}",
                 f"construct/sums_two_streams/{UNIFORM}"), about, note="published: below"),
    Claim("thesis 4.8.4", "tuned parameters, largest speedup", thesis("speedup_of_tuning"),
          most(*(faster("gpu/tuning", f"tuning/{series}_default/{where}",
                        f"tuning/{series}_best/{where}")
                 for series in ("psa", "psa_plus") for where in (UNIFORM, LAW))), up_to,
          note="our defaults were tuned before"),
    Claim("thesis 5.2.1", "partial p-ary split against the baseline, largest",
          thesis("speedup_over_baseline_split"),
          most(*(faster("gpu/split_methods", split("baseline", s), split("partial_p_ary", s))
                 for s in SPLITS)), up_to,
          note="from 10^5 splits on only; below, launch and first misses dominate"),
    Claim("thesis 5.2.1", "partial p-ary split, whole construction",
          times_faster(thesis("time_saved_of_construction"), saved=True),
          milestones("3_cub_partition", "4_partial_p_ary_split"), up_to),
    Claim("thesis 5.2.2", "weights in the lists, shared memory pack",
          times_faster(thesis("speedup_over_shared_memory_pack")),
          milestones("5_shared_memory", "6_masses_in_l_and_h"), about),
    Claim("thesis 5.2.2", "chunks against shared memory, large N", stated(1),
          faster("gpu/pack_methods", pack("shared_memory_masses", "20000000"),
                 pack("chunked_masses", "20000000")), more_than_one,
          note="in words: slightly faster; 227 KB of shared memory leave room for large sections"),
    Claim("thesis Table 5.1", "sweeping pack", table("thesis_table_5_1", "thesis_a",
                                                     method="sweeping_pack"),
          per_item("sweeping"), at_most, "ns an item", NEWER),
    Claim("thesis Table 5.1", "precomputed weights", table("thesis_table_5_1", "thesis_a",
                                                           method="precomputed_weights"),
          per_item("precomputed_weights"), at_most, "ns an item", NEWER),
    Claim("thesis Table 5.1", "reordered lists", table("thesis_table_5_1", "thesis_a",
                                                       method="reordered_lists"),
          per_item("reordered_random"), at_most, "ns an item", NEWER),
    Claim("thesis 5.2.3", "packed greedily, uniform", thesis("items_packed_greedily"),
          value("gpu/psa_plus_profile", f"construct/{CHUNKED}_psa_plus/{UNIFORM}",
                "greedy_fraction", 100), within(1.05), "%"),
    *(Claim("thesis 5.2.3", f"PSA+ against PSA, chunked, {distribution}",
            thesis("speedup_psa_plus_over_psa", machine="thesis_a", distribution=distribution),
            faster("gpu/psa_plus_profile", f"construct/{CHUNKED}/{distribution}/10000000",
                   f"construct/{CHUNKED}_psa_plus/{distribution}/10000000"), about)
      for distribution in ("uniform", "powerlaw_0.5_shuffled")),
    Claim("thesis 5.2.5", "last version against the baseline",
          thesis("speedup_baseline_to_last_version"),
          milestones("2_pointer_arithmetic", "8_psa_plus"), up_to),
    Claim("thesis 5.2.6", "construction on the GPU against PSA on the CPU, 10^7",
          thesis("speedup_construction", method="gpu_chunked"),
          quotient(build_cpu(), build_gpu(10**7)), up_to, note=HOSTS),
    Claim("thesis 6", "construction on the GPU against our fastest on the CPU, 10^7",
          thesis("speedup_construction", place="Chapter 6"),
          lambda records: records.ms("cpu/cpu_construction",
                                     f"construct/sectioned_sweep_{{most}}t/{LAW}")
          / records.ms("gpu/construction", f"construct/{SHARED}/{LAW}"), up_to, note=HOSTS),
    *(Claim("thesis Table 5.2", f"construction, N = {items:.0e}".replace("e+0", "0^"),
            table("thesis_table_5_2", "thesis_a", items), build_gpu(items), at_most, "ms", NEWER)
      for items in (10**7, 10**8)),
    Claim("thesis 5.2.6", "construction with both transfers against the CPU", stated(1),
          lambda records: build_cpu(UNIFORM)(records)
          / records.ms("gpu/transfers", f"transfer/both/{UNIFORM}"), more_than_one, note=HOSTS),
    Claim("thesis 5.2.6", "sending a finished table against building it", stated(1),
          faster("gpu/transfers", f"transfer/only_table_to_device/{UNIFORM}",
                 f"transfer/construction/{UNIFORM}"), more_than_one),
    Claim("thesis 5.2.7", "struct of arrays, slowdown of construction",
          times_faster(thesis("slowdown_of_struct_of_arrays")),
          faster("gpu/struct_of_arrays", f"construct/{SHARED}_arrays/{UNIFORM}",
                 f"construct/{SHARED}/{UNIFORM}"), about),
    Claim("thesis 5.3", "sectioned sampling, 10^7 rows, most", thesis(
              "sampling_throughput", method="sectioned samplers"),
          rate("gpu/samples_sweep", "sample/shared_memory/uniform/10000000/10000000000"), at_least,
          "GSamples/s", NEWER),
    Claim("thesis 5.3.1", "sampling on the GPU against the CPU, 10^6 rows",
          thesis("speedup_sampling", place="Section 5.3.1"),
          quotient(draw("cached_limited_xorwow_no_output", 10**6), draw_cpu(10**6)), up_to,
          note=HOSTS),
    *(Claim("thesis Table 5.3", f"sampling, N = 10^{exponent}",
            lambda items=10**exponent: table("thesis_table_5_3", "thesis_a", items)() / 1000,
            draw(sampler, 10**exponent), at_least, "GSamples/s", NEWER)
      for exponent, sampler in ((6, "cached_limited_xorwow"), (7, "cached_limited_xorwow"),
                                (8, "baseline_xorwow"))),
    Claim("thesis 5.3.2", "rejection sampling on the GPU",
          thesis("sampling_throughput", method="rejection"),
          rate("gpu/rejection", "sample/gpu_rejection_array/uniform/1000000/100000000"), at_least,
          "GSamples/s", NEWER),
    Claim("thesis 5.3.3", "rows against arrays, sampling with aliases", stated(1),
          faster("gpu/sampling_struct_of_arrays",
                 "sample/baseline_struct_of_arrays_no_output/next_alias/10000000/1000000000",
                 "sample/baseline_wide_rows_no_output/next_alias/10000000/1000000000"),
          more_than_one),
    Claim("thesis 5.3.3", "arrays against rows, sampling without aliases", stated(1),
          faster("gpu/sampling_struct_of_arrays",
                 "sample/baseline_wide_rows_no_output/no_alias/10000000/1000000000",
                 "sample/baseline_struct_of_arrays_no_output/no_alias/10000000/1000000000"),
          more_than_one),
    Claim("thesis Table 5.4", "energy of construction",
          table("thesis_table_5_4", "thesis_a"),
          joules("construct_gpu/powerlaw_1_shuffled/100000000"), at_most, "J/10^8",
          "theirs at the plug, idle subtracted; ours what the card counts"),
    Claim("thesis Table 5.5", "energy of sampling", table("thesis_table_5_5", "thesis_a"),
          joules("sample_gpu/powerlaw_1_shuffled/100000000/1000000000"), at_most, "J/GSample",
          "theirs at the plug, idle subtracted; ours what the card counts"),
    Claim("thesis 4.2", "sweep against the next best sequential method", stated(1),
          lambda records: min(records.ms("cpu/cpu_construction", f"construct/{name}_1t/{UNIFORM}")
                              for name in ("vose", "psa_sequential"))
          / records.ms("cpu/cpu_construction", f"construct/sweep_1t/{UNIFORM}"), more_than_one,
          note="true for i^-1 in random order; uniform weights cost the sweep its branch prediction"),
)

REPORT = (
    Claim("report 6.1", "last version against the baseline", functools.partial(
              published, "report_text", quantity="speedup_baseline_to_last_version"),
          milestones("3_cub_partition", "6_masses_in_l_and_h"), up_to,
          note="our baseline stores 128 bits, and the L2 absorbs scattered reads"),
    Claim("report 6.1", "construction on the GPU against PSA on the CPU, 10^7", functools.partial(
              published, "report_text", quantity="speedup_construction", place="Section 6.1"),
          quotient(build_cpu(), build_gpu(10**7)), up_to, note=HOSTS),
    *(Claim("report Table 2", f"construction, V100, N = 10^{exponent}",
            table("report_table_2", "tesla_v100", 10**exponent), build_gpu(10**exponent), at_most,
            "ms", NEWER) for exponent in (7, 8)),
    Claim("report 6.2", "sampling on the GPU against the CPU, 10^7 rows", functools.partial(
              published, "report_text", quantity="speedup_sampling", place="Section 6.2"),
          quotient(draw("cached_limited_xorwow_no_output", 10**7), draw_cpu(10**7)), up_to,
          note=HOSTS),
    *(Claim("report Table 3", f"sampling, V100, N = 10^{exponent}",
            table("report_table_3", "tesla_v100", 10**exponent), draw(sampler, 10**exponent),
            at_least, "GSamples/s", NEWER)
      for exponent, sampler in ((6, "cached_limited_xorwow"), (7, "cached_limited_xorwow"),
                                (8, "baseline_xorwow"))),
    Claim("report Table 4", "energy of construction, V100",
          table("report_table_4", "tesla_v100", quantity="construction_energy"),
          joules("construct_gpu/powerlaw_1_shuffled/100000000"), at_most, "J/10^8",
          "theirs is what the card reports and 40 W for the host"),
    Claim("report Table 4", "energy of sampling, V100",
          table("report_table_4", "tesla_v100", quantity="sampling_energy"),
          joules("sample_gpu/powerlaw_1_shuffled/100000000/1000000000"), at_most, "J/GSample",
          "theirs is what the card reports and 40 W for the host"),
)


def keys(table_number, machine, method, items):
    return table(f"shuffling_table_{table_number}", machine, items, method=method)


def keys_ratio(table_number, machine, items, first, second):
    return ratio_of(keys(table_number, machine, first, items),
                    keys(table_number, machine, second, items))


def shuffles(fast, slow, items, experiment="gpu/shuffle_methods"):
    return faster(experiment, f"shuffle/{slow}/{items}", f"shuffle/{fast}/{items}")


def cpu_shuffles(fast, slow, items):
    return shuffles(f"{fast}_{{most}}t", f"{slow}_{{most}}t", items, "cpu/cpu_shuffle_methods")


def rounds_that_pass(records):
    """From how many rounds on chi-squared stays below the 95% point of 119 degrees of freedom."""
    needed = None
    for row in records.table("cpu/verify_shuffles"):
        if row["figure"] == "chi_squared_by_rounds" and row["method"] == "var_philox":
            if float(row["statistic"]) > 145.46:
                needed = None
            elif needed is None:
                needed = int(row["rounds"])
    if needed is None:
        raise Missing("cpu/verify_shuffles has no rounds that pass")
    return needed


def lcg_chi_squared(records):
    for row in records.table("cpu/verify_shuffles"):
        if row["figure"] == "chi_squared_by_rounds" and row["method"] == "lcg":
            return float(row["statistic"])
    raise Missing("cpu/verify_shuffles has no lcg")


V100, LARGEST = "v100_32gb", 2**29 + 1
SHUFFLING = (
    Claim("shuffling 5", "rounds of VariablePhilox that pass chi-squared", functools.partial(
              published, "shuffling_text", quantity="rounds_that_fail_chi_squared_below"),
          rounds_that_pass, within(1.11), "rounds"),
    Claim("shuffling 5", "chi-squared of the LCG, 120 permutations", functools.partial(
              published, "shuffling_text", quantity="chi_squared_statistic"),
          lcg_chi_squared, within(2), "-", "other constants"),
    Claim("shuffling Table 1", "VariablePhilox against the gather, V100, 2^29 + 1",
          keys_ratio(1, V100, LARGEST, "var_philox", "gather"),
          shuffles("bijective2_varphilox", "gather", LARGEST), within(1.05),
          note="integers are computed twice as fast as on the V100, but gathered 8 times as fast"),
    Claim("shuffling Table 1", "LCG against the gather, V100, 2^29 + 1",
          keys_ratio(1, V100, LARGEST, "lcg", "gather"),
          shuffles("bijective2_lcg", "gather", LARGEST), within(1.1)),
    Claim("shuffling 6", "VariablePhilox against the gather, 2^29", stated(1),
          shuffles("bijective2_varphilox", "gather", 2**29), about),
    *(Claim("shuffling Table 1", f"VariablePhilox against {words}, V100, 2^29 + 1",
            keys_ratio(1, V100, LARGEST, "var_philox", theirs),
            shuffles("bijective2_varphilox", ours, LARGEST), up_to,
            note="sorting and dart throwing use what libraries have since")
      for words, theirs, ours in (("sorting", "sort_shuffle", "sort"),
                                  ("dart throwing", "dart_throwing", "dart_throwing"))),
    Claim("shuffling Table 2", "VariablePhilox against the gather, RTX 2080, 2^26 + 1",
          keys_ratio(2, "rtx_2080_shuffling", 2**26 + 1, "var_philox", "gather"),
          shuffles("bijective2_varphilox", "gather", 2**26 + 1), within(1.05),
          note="integers are computed twice as fast as on the V100, but gathered 8 times as fast"),
    *(Claim("shuffling Figure 11", f"{words}, 2^29", stated(1),
            shuffles(after, before, 2**29, "gpu/shuffle_fusion"), more_than_one)
      for words, before, after in (
          ("two passes against three", "bijective0_varphilox", "bijective1_varphilox"),
          ("one pass against two", "bijective1_varphilox", "bijective2_varphilox"))),
    *(Claim("shuffling Table 3", f"{words} against the gather, CPU, 2^26 + 1",
            keys_ratio(3, "xeon_e5", 2**26 + 1, theirs, "gather"),
            cpu_shuffles(ours, "gather", 2**26 + 1), within(1.25),
            note="theirs on 40 cores in two sockets")
      for words, theirs, ours in (("VariablePhilox", "var_philox", "bijective_varphilox"),
                                  ("Rao-Sandelius", "rao_sandelius", "rao_sandelius"))),
)

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

CLAIMS = (*THESIS, *REPORT, *SHUFFLING, *OURS)
