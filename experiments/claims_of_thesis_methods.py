"""The claims of the thesis's chapters 3 and 4, on single methods and steps."""

import math

from claim_model import Claim, about, at_least, more_than_one, within
from claim_terms import (LAW_10_7, NEWER, UNIFORM, counter, faster, most, pack, quotient, rate,
                         ratio_of, sample, split, stated, thesis, times_faster, value)
from records import Missing


REPORT_PACKS = (("report 4.2", ""),)  # the row of the notes on all four slow ones


def equal_weights(method):
    return f"construct/partial_p_ary_{method}/heavy_fraction_0/10000000"


def pack_step(method, field="duration_ns"):
    """Of the pack's kernel, in proportion to the baseline's."""
    return quotient(counter(pack(method), field), counter(pack("baseline"), field))


def reordered_pack_steps(limit):
    """Over both orders and both weights that were counted: of which order the published range is it does
    not say, only that it depends on the weights."""
    def found(records):
        steps = [counter(f"construct/partial_p_ary_{method}/{weights}", "duration_ns")(records)
                 / counter(f"construct/partial_p_ary_baseline/{weights}", "duration_ns")(records)
                 for method in ("reordered_round_robin", "reordered_random")
                 for weights in (UNIFORM, LAW_10_7)]
        return limit(steps)
    return found


def gain_of_reads_after_branch(records):
    """The largest, of all packs that have both forms and of all sizes."""
    key = "gpu/pack_methods"
    ratios = [records.ms(key, name) / records.ms(key, name.replace("_branched", ""))
              for name in records.rows(key) if "_branched" in name]
    if not ratios:
        raise Missing(f"{key} has no pack that reads in the branches")
    return max(ratios)


def split_reads(records, method, items, splits, of_memory=False):
    """Bytes that a split reads from the L2, or from memory, against the thesis's theory: a bisection of
    half of the items, whose steps read two prefix sums at two places, and 8 bytes more for each split."""
    splits_made = math.ceil(items / math.ceil(items / splits))  # sections are of equal size
    theory = splits_made * (32 * math.log2(items / 2) + 8)
    name = f"split/{method}/uniform/{items}/{splits}"
    read = (records.counter(name, "memory_bytes_read") if of_memory
            else 32 * records.counter(name, "l2_sectors_read"))
    return read / theory


def without_output(sampler):
    return sample(f"{sampler}_no_output", 10**6)


THESIS_METHODS = (
    *(Claim("thesis 3.1.3", f"{method.replace('_', ' ')} split, slowdown against the baseline",
            thesis("slowdown_against_baseline_split", method=f"{method}_split"),
            faster("gpu/split_methods", split(method, 1024), split("baseline", 1024)), about,
            note=f"neither items nor splits are stated there; 1,024 splits of 10^7 uniform items "
                 f"here, {of_power_law} times of i^-1 in random order",
            row=f"({method.replace('_', ' ')} split)",
            also=(("report 4.1", ""),) if method == "inverse" else ())
      for method, of_power_law in (("inverse", "102"), ("parallel_inverse", "1,630"))),
    *(Claim("thesis 3.1.3", f"{method.replace('_', ' ')} split, memory read against the baseline",
            thesis("transferred_memory_against_baseline_split", method=f"{method}_split"),
            quotient(counter(split(method, 1024), "memory_bytes_read"),
                     counter(split("baseline", 1024), "memory_bytes_read")), within(2),
            note=f"{more}from the L2 {of_l2} times", row=f"({method.replace('_', ' ')} split)")
      for method, more, of_l2 in (("inverse", "\"more than\", there; ", "19,400"),
                                  ("parallel_inverse", "", "75,900"))),
    Claim("thesis 3.2.5", "table in shared memory, equal weights, slowdown of the construction",
          stated(1), faster("gpu/uncompetitive_packs", equal_weights("table_in_shared_memory"),
                            equal_weights("baseline")), more_than_one,
          note="slower, in words, of weights that are not stated; the pack step alone 0.30 "
               "(counters.json)", row="table in shared memory"),
    Claim("thesis 3.2.5", "pre-filled table, slowdown of the pack step",
          thesis("slowdown_against_baseline_pack", method="prefilled_table"),
          pack_step("prefilled"), about,
          note="of the whole construction 1.05 (uncompetitive_packs.json), which varies from run "
               "to run, see thesis_notes.md", row="pre-filled", also=REPORT_PACKS),
    Claim("thesis 3.2.5", "pre-filled table, memory read by the pack step",
          thesis("global_reads_against_baseline_pack", method="prefilled_table"),
          pack_step("prefilled", "memory_bytes_read"), about, row="pre-filled"),
    Claim("thesis 3.2.5", "weights of the lists precomputed, slowdown of the pack step",
          thesis("slowdown_against_baseline_pack", method="precomputed_weights"),
          pack_step("precomputed_weights"), about,
          note="of the whole construction 1.03 (uncompetitive_packs.json)", row="precomputed",
          also=REPORT_PACKS),
    Claim("thesis 3.2.5", "weights of the lists precomputed, memory read by the pack step",
          thesis("global_reads_against_baseline_pack", method="precomputed_weights"),
          pack_step("precomputed_weights", "memory_bytes_read"), about, row="precomputed"),
    *(Claim("thesis 4.5.5", f"sweeping pack, {loop}, slowdown of the pack step",
            thesis("slowdown_against_baseline_pack", note=loop), pack_step(method), about,
            note=f"of the whole construction {whole} (uncompetitive_packs.json); it reads {share} "
                 "times as much from memory as the baseline's, and both wait for memory",
            also=(("thesis 3.2.5", "sweeping"), *REPORT_PACKS))
      for loop, method, whole, share in (
          ("plain loop", "sweeping", "0.90", "0.57"),
          ("one loop for both branches", "sweeping_shared_loop", "0.95", "0.63"))),
    Claim("thesis 4.5.5", "lists reordered, largest slowdown",
          thesis("slowdown_against_baseline_pack", note="highest"), reordered_pack_steps(max), about,
          note="by weights, there; here at random, of uniform ones; the whole construction 1.53 "
               "(uncompetitive_packs.json), by reordering and prefix sums",
          also=(("thesis 3.2.5", "reordered"), *REPORT_PACKS)),
    Claim("thesis 4.5.5", "lists reordered, smallest slowdown",
          thesis("slowdown_against_baseline_pack", note="lowest"), reordered_pack_steps(min), about,
          note="dealt round-robin, of uniform weights; the whole construction 1.01 (uncompetitive_packs.json)",
          also=(("thesis 3.2.5", "reordered"),)),
    Claim("thesis 3.1.2", "partial p-ary search against bisection, 102,400 close queries", stated(1),
          faster("gpu/partial_p_ary_search", "search/binary_clustered/10000000/102400",
                 "search/partial_p_ary_256_clustered/10000000/102400"), more_than_one,
          note="for elements that are close together in memory, in words; spread queries lose, 0.86 times",
          row="Algorithm 3.1"),
    *(Claim("thesis 4.4.1", f"baseline split, {words}", stated(1),
            faster("gpu/split_methods", split(slow, splits), split(fast, splits)), more_than_one,
            note="in words")
      for words, fast, slow, splits in (
          ("groups of one against large ones, 1,024 splits", "baseline_group_1", "baseline", 1024),
          ("large groups against those of one, 655,360 splits", "baseline", "baseline_group_1", 655360))),
    Claim("thesis 4.2", "CUB's prefix sum against the work-efficient one",
          thesis("speedup_of_cub_prefix_sum"),
          faster("gpu/prefixsum", "prefixsum/work_efficient/double/268435456",
                 "prefixsum/cub/double/268435456"), about, note="an order of magnitude, in words",
          row="prefix sums"),
    Claim("thesis 4.2", "CUB's prefix sum against the work-efficient one in place",
          thesis("speedup_of_cub_prefix_sum"),
          faster("gpu/prefixsum", "prefixsum/work_efficient_in_place/double/268435456",
                 "prefixsum/cub/double/268435456"), about,
          note="which of its own the thesis compares with CUB's it does not say", row="prefix sums"),
    Claim("thesis 4.3", "flags on demand against a classification kernel",
          thesis("speedup_over_classification_kernel"),
          faster("gpu/partition_methods", f"partition/classification_kernel/{UNIFORM}",
                 f"partition/on_demand/{UNIFORM}"), about,
          note="theirs also took the division W/N out of the threads, where ours never had it",
          row="on demand"),
    Claim("thesis 4.3", "CUB's partition against flags on demand",
          thesis("speedup_over_on_demand_classification"),
          faster("gpu/partition_methods", f"partition/on_demand/{UNIFORM}",
                 f"partition/cub/{UNIFORM}"), about,
          note="theirs turns the second list around, ours keeps its order; cause not measured",
          row="CUB partition"),
    Claim("thesis 4.6", "own partition against CUB's", stated(1),
          faster("gpu/partition_methods", f"partition/cub_masses/{UNIFORM}",
                 f"partition/custom_masses/{UNIFORM}"), about,
          note="similar, in words; ours keeps the order of the items, theirs takes places by "
               "atomics", row="custom partition"),
    Claim("thesis 4.5.1", "reads after the branch, baseline pack, 10^7",
          thesis("speedup_of_branch_free_reads"),
          faster("gpu/pack_methods", pack("baseline_branched"), pack("baseline")), about,
          note="of the whole construction; both forms of the pack step load as much and wait for memory, with "
               "1.18 times the instructions or without (counters.json); 1.10 at 10^6"),
    Claim("thesis 4.5.1", "reads after the branch, largest speedup of all packs and sizes",
          thesis("speedup_of_branch_free_reads"),
          gain_of_reads_after_branch, about,
          note="of the whole construction, shared memory with indices and 2*10^6 items; 4% at most with 10^7",
          also=(("thesis 1.3.1", "memory in branches"), ("report 6", "(details)"))),
    Claim("thesis 4.5.4", "asynchronous copies, chunked pack",
          thesis("speedup_of_asynchronous_copies"),
          faster("gpu/pack_methods", pack("chunked_masses"), pack("chunked_async_masses")), about,
          note="preliminary there; with PSA+ it is 1.01 here (construction.json); copied past the "
               "registers, 1.22 times as much is read from the L2 (counters.json)", row="(chunks)"),
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
                 "sample/baseline_xorwow_pkpt_sha1_no_output/uniform/1000000/1000000000"), about,
          note="of 10^7 samples, where seeding counts for more, 5.6; no counter tells why "
               "it loses: as many reads, fewer instructions (counters.json)", row="pK-pT"),
    Claim("thesis 4.8.1", "explicit transfers against managed memory, 10^7", stated(1),
          faster("gpu/transfers", f"transfer/both_managed/{UNIFORM}", f"transfer/both/{UNIFORM}"),
          more_than_one, note="in words; once all pages are on the device managed memory takes 1.01 times as "
                              "long (optimizations.json)"),
    Claim("thesis 4.8.2", "128-bit stores, pack step",
          times_faster(thesis("gain_of_pack_step_by_128bit_stores")),
          quotient(value("gpu/optimizations", f"construct/stores_64/{UNIFORM}", "pack_us"),
                   value("gpu/optimizations", f"construct/stores_128/{UNIFORM}", "pack_us")),
          about, row="Algorithms 4.3", also=(("report 6", "(details)"),)),
    Claim("thesis 4.8.2", "128-bit stores, less written to the L2",
          ratio_of(thesis("l2_writes_64bit_stores"), thesis("l2_writes_128bit_stores")),
          quotient(counter("construct/stores_64/uniform/50000000", "l2_sectors_written"),
                   counter("construct/stores_128/uniform/50000000", "l2_sectors_written")), about,
          row="Algorithms 4.3"),
    *(Claim("thesis 4.8.2", f"128-bit loads, {sampler} sampler",
            thesis("speedup_of_128bit_loads", method=f"{theirs}_sampler"),
            faster("gpu/row_loads", without_output(f"{sampler}_xorwow_loads_64"),
                   without_output(f"{sampler}_xorwow_loads_128")), about, row="(sampling")
      for sampler, theirs in (("baseline", "baseline"), ("cached", "cached_sectioned"))),
    Claim("thesis 4.8.2", "split, read from the L2 against the theory of a bisection",
          ratio_of(thesis("l2_reads", method="partial_p_ary"),
                   thesis("global_reads_theory", method="partial_p_ary")),
          lambda records: split_reads(records, "partial_p_ary", 5 * 10**7, 655360), within(1.2),
          note="580,000 splits there, 649,351 here; 3.61 where each thread bisects (the baseline "
               "split)", row="(split"),
    Claim("thesis 4.8.2", "split, read from memory against the theory of a bisection",
          ratio_of(thesis("global_reads", method="partial_p_ary"),
                   thesis("global_reads_theory", method="partial_p_ary")),
          lambda records: split_reads(records, "partial_p_ary", 5 * 10**7, 655360, of_memory=True),
          within(1.2), note="3.32 where each thread bisects", row="(split"),
    Claim("thesis 4.8.2", "pack, written against the size of the table",
          ratio_of(thesis("global_writes", method="shared_memory_pack"),
                   thesis("global_writes_theory", method="shared_memory_pack")),
          lambda records: records.counter("construct/stores_128/uniform/50000000",
                                          "memory_bytes_written") / 800e6, within(1.2),
          row="(pack"),
    Claim("thesis 4.8.2", "pack, read against the size of the lists",
          ratio_of(thesis("global_reads", method="shared_memory_pack"),
                   thesis("global_reads_theory", method="shared_memory_pack")),
          lambda records: records.counter("construct/stores_128/uniform/50000000",
                                          "memory_bytes_read") / 800e6, within(1.2),
          note="nearly as much is written beyond the table: probably sectors that left the L2 "
               "before their second row came, which is not measured apart", row="(pack"),
    Claim("thesis 4.8.2", "sections in shared memory, less read than by the baseline sampler",
          ratio_of(thesis("global_reads", method="baseline_sampler"),
                   thesis("global_reads", method="shared_memory_sectioned_sampler")),
          quotient(counter(without_output("baseline_xorwow"), "l2_sectors_read"),
                   counter(without_output("shared_memory_xorwow"), "l2_sectors_read")), about,
          note="ours from the L2, theirs from memory; 134 with Philox, which needs no seeding",
          row="(sampling"),
    Claim("thesis 4.8.2", "sections left to the cache, less read than by the baseline sampler",
          ratio_of(thesis("global_reads", method="baseline_sampler"),
                   thesis("global_reads", method="cached_sectioned_sampler")),
          quotient(counter(without_output("baseline_xorwow_loads_128"), "l2_sectors_read"),
                   counter(without_output("cached_xorwow_loads_128"), "l2_sectors_read")), about,
          note="ours from the L2, theirs from memory, where sections did not stay in the cache; 74 "
               "with Philox", row="(sampling"),
    Claim("thesis 4.8.3", "two streams for the prefix sums",
          times_faster(thesis("time_saved_by_streams")),
          faster("gpu/optimizations", f"construct/sums_one_by_one/{UNIFORM}",
                 f"construct/sums_two_streams/{UNIFORM}"), about, note="below 1%, in words"),
    Claim("thesis 4.8.3", "split and pack in turns", stated(1),
          faster("gpu/optimizations", f"construct/split_then_pack/{UNIFORM}",
                 f"construct/interleaved_10/{UNIFORM}"), about,
          note="no gain, in words; cause not measured"),
    Claim("thesis 4.8.4", "tuned parameters, largest speedup", thesis("speedup_of_tuning"),
          most(*(faster("gpu/tuning", f"tuning/{series}_default/{where}",
                        f"tuning/{series}_best/{where}")
                 for series, where in (("psa", LAW_10_7), ("psa", UNIFORM), ("psa_plus", UNIFORM)))), about,
          note="theirs starts with 64 packing threads and ends with 11 to 32, ours starts with 32 "
               "and ends with 24 to 64", row="Table 4.1"),
    *(Claim("thesis 4.8.5", f"{words} pack, slowdown where it prefers the L1", stated(1),
            faster("gpu/optimizations", f"construct/{preferring}/{UNIFORM}",
                   f"construct/{default}/{UNIFORM}"), about, note=note)
      for words, preferring, default, note in (
          ("shared memory", "prefer_l1", "stores_128",
           "only limited sampling is influenced there, in words; here up to 1.51 (i^-1 in random order, "
           "10^8)"),
          ("baseline", "baseline_prefer_l1", "baseline_no_preference", "in words"))),
)
