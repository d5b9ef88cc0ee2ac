"""Ratios and percentages that the documents state, and what they are computed from: each is a piece of
text, with # for its numbers ("twice" is 2), that is there once, and as many functions from Records."""

import functools
import operator

from claim_terms import (UNIFORM, build_cpu, build_gpu, counter, draw, faster, milestones, most, pack,
                         quotient, rate, table, value)
from claims_of_papers import CONSTRUCTION, RANDOM_ORDER, SECTIONED, SMALL_DRAW_MS
from claims_of_shuffling import cpu_shuffles, keys_ratio, shuffles
from claims_of_thesis_evaluation import SHARED, SPLITS
from claims_of_thesis_methods import gain_of_reads_after_branch, pack_step, split_reads, without_output
from claims_of_thesis_sampling import limited_against_cached, swept
from counters import LANES
from ratio_terms import (BASELINE, CHUNKED, CPU, CPU_DRAWS, GRIDS, LAW, LIMITED, MORE_WHOLE_TILES,
                         RESIDENT_THREADS, ROOT_LAW, SMALL_DRAWS, V100, WHOLE_TILES, XEON, against,
                         against_theirs, all_arrays, arrays, at_peak_us, authors_psa, beyond,
                         branches, by_rows, chi_squared, compact_gain, counted_shuffles, cpu,
                         cpu_draws, cycles_a_ns, draw_counted, drawn_counted, for_each, fused,
                         fusion_share, generated, greedy, greedy_share, hashed,
                         instructions_a_sample, kernels_of, l1_beyond_target, law_step, least,
                         left_us, less, loads, made_rows_ms, merge_kernels_us, merge_others_us,
                         merge_share, more, of_heavy_fraction, of_host, of_kernel, one_number,
                         optimized, pack_step_gain, pack_us, partition, percent, profile_us,
                         profiled_split_share, psa_plus, published_percent, read_from_l2, scan,
                         share_of_gather, shared_lists, shared_lists_launch, sketch, slow_pack,
                         small_draw_us, split_counted, split_gain, split_ms, split_reads_by_weights,
                         split_saves, split_share, split_slowdown, spread, stored,
                         swept_against_floating, theirs, times, tuned, us_without_waiting, varies,
                         warp_tiles, warp_tiles_built, warp_tiles_ms, weights_in_lists,
                         wide_exact_against_floating, with_blocks, with_rounds, workers_of_best,
                         writing_floor)
from records import published_value

# Of the weights of `beyond_construction` those that lanes cannot sweep.
UNSUITED = ("powerlaw_1", "powerlaw_2", "ramp", "words", "sine", "one_light", "heavy_fraction_90_leading")
# Of those targets that the merge misses, but the one at 10^7 of i^-0.5.
MISSED = (("uniform", 10**7), *((weights, items) for weights in ("uniform", ROOT_LAW) for items in (10**8, 10**9)))
L1_BEYOND_TARGETS = for_each(lambda limit: l1_beyond_target(limit, *MISSED), least, most)
L2_US = functools.partial(at_peak_us, unit="l2")


def built_ms(form, weights, exponent):
    return lambda records: records.ms("gpu/beyond_construction",
                                      f"construct/{form}/{weights}/{10**exponent}")


def at_bytes_of_few_rows(exponent):
    """GSamples/s of 10^9 by sections, were as many bytes a second read and written as with 10^6 rows."""
    def moved(of):  # bytes a sample: 4, and a part of the rows
        return 4 + 8 * 10**of / 10**9
    return times(moved(6) / moved(exponent), beyond("sectioned", 6, 10**9))


NOTES = (
    # Chapters 1 and 2
    ("Reproduced with a difference: # times at most, hardly anything from 10^7 items on",
     gain_of_reads_after_branch),
    ("Reproduced: two threads are # times as fast. Strong", quotient(cpu("psa_1t"), cpu("psa_2t"))),
    ("an alias table has # times its rate, # times for i^-1 shuffled. Building is linear up to 10^6 "
     "items, and # times as long an item at 10^7",
     *for_each(lambda weights: quotient(cpu_draws("direct", weights), cpu_draws("scan_binary", weights)),
               "uniform", LAW),
     times(0.1, quotient(cpu("scan_binary_1t"), cpu("scan_binary_1t", "uniform/1000000")))),
    ("for that memory it has # times the rate of the bisection, # times for i^-1 shuffled",
     *for_each(lambda weights: quotient(cpu_draws("cutpoint", weights), cpu_draws("scan_binary", weights)),
               "uniform", LAW)),
    ("# bytes an item besides the table, Vose #",
     *for_each(lambda name: value(CPU, f"construct/{name}_1t/{UNIFORM}", "extra_bytes_per_item"),
               "sweep", "vose")),
    ("without memory of its own. #% slower than Vose's on uniform weights, # times as fast for i^-1 in "
     "random order",
     more(quotient(cpu("sweep_1t"), cpu("vose_1t"))),
     quotient(cpu("vose_1t", f"{LAW}/10000000"), cpu("sweep_1t", f"{LAW}/10000000"))),
    ("two threads are # times as fast as one. The split", quotient(cpu("psa_1t"), cpu("psa_2t"))),
    ("about #% of uniform weights are packed greedily, #% for i^-0.5 and #% for i^-1 in random order",
     *for_each(greedy, "uniform", ROOT_LAW, LAW)),
    ("Vose's times vary by a factor of # in this record", varies("vose_1t", "uniform")),
    # Chapter 3
    ("| # ns a split at 10,240, # at 81,920",
     *for_each(lambda splits: times(1e6 / splits, split_ms("baseline", splits)), 10240, 81920)),
    ("which win by #% in 10^7 items",
     less(faster("gpu/partial_p_ary_search", "search/partial_p_ary_256/10000000/1024000",
                 "search/binary/10000000/1024000"))),
    ("7.92 ms for 1,024 splits, # times the baseline; # times for i^-1 shuffled",
     split_slowdown("inverse"), split_slowdown("inverse", LAW)),
    ("Reproduced with a difference: larger, and # times the baseline's memory traffic. Neither",
     quotient(split_counted("inverse", 1024, "memory_bytes_read"),
              split_counted("baseline", 1024, "memory_bytes_read"))),
    ("From the L2 it reads # times as much", quotient(split_counted("inverse", 1024, "l2_sectors_read"),
                                                      split_counted("baseline", 1024, "l2_sectors_read"))),
    ("instructions for each split and warp, in #% of all cycles",
     split_counted("inverse", 1024, "issue_percent_of_peak")),
    ("38.3 ms, # times the baseline; # times for i^-1 shuffled",
     split_slowdown("parallel_inverse"), split_slowdown("parallel_inverse", LAW)),
    ("larger, and # times the baseline's memory traffic, # times that of the inverse split, there #:",
     quotient(split_counted("parallel_inverse", 1024, "memory_bytes_read"),
              split_counted("baseline", 1024, "memory_bytes_read")),
     quotient(split_counted("parallel_inverse", 1024, "memory_bytes_read"),
              split_counted("inverse", 1024, "memory_bytes_read")), lambda _: 1500 / 500),
    ("0.79 ms, # times as fast as the baseline", milestones("4_partial_p_ary_split", "5_shared_memory")),
    ("its pack kernel reads #% less from the L2 (5.2.2)",
     less(pack_step("shared_memory", "l2_sectors_read"))),
    ("0.52 against 0.79 ms: # times (", milestones("5_shared_memory", "6_masses_in_l_and_h")),
    ("it issues # instructions for each split and warp",
     times(32 / 1024 / (5 * 10**6), split_counted("inverse", 1024, "warp_instructions"))),
    ("Splits take only # to #% of the time here", *(limit(*(
        profiled_split_share(series, weights) for series in (SHARED, CHUNKED)
        for weights in ("uniform", ROOT_LAW, LAW))) for limit in (least, most))),
    ("The chunked kernel issues # the instructions of the other, and reads # times as much from memory",
     *for_each(lambda field: quotient(counter(pack("chunked_masses"), field),
                                      counter(pack("shared_memory_masses"), field)),
               "warp_instructions", "memory_bytes_read")),
    ("Contradicted: # times as fast as the baseline, on equal weights",
     lambda records: 1 / slow_pack("table_in_shared_memory", "heavy_fraction_0/10000000")(records)),
    ("whole construction #% slower in this run", more(slow_pack("prefilled"))),
    ("and the pack step is #% faster (852 and 934 us)", less(law_step("prefilled"))),
    ("for i^-1 shuffled #% fewer,", less(law_step("prefilled", "memory_bytes_read"))),
    ("1.05 ms, #% less than the baseline", less(slow_pack("sweeping"))),
    ("and #% of its reads hit the L1, the baseline's #%",
     counter(pack("sweeping"), "l1_hit_percent"), counter(pack("baseline"), "l1_hit_percent")),
    ("in random order # times, dealt round-robin #% slower",
     slow_pack("reordered_random"), more(slow_pack("reordered_round_robin"))),
    ("Contradicted: the pack step takes # times as long as the baseline's in random order, reading #% "
     "more from memory, and # times dealt round-robin, reading #% less; for i^-1 shuffled # and # times",
     pack_step("reordered_random"), more(pack_step("reordered_random", "memory_bytes_read")),
     pack_step("reordered_round_robin"), less(pack_step("reordered_round_robin", "memory_bytes_read")),
     law_step("reordered_random"), law_step("reordered_round_robin")),
    ("| pack step #% faster, as many reads (1,466 and 1,464 MB), #% L1 hits, the baseline's #% "
     "(`counters.json`); whole construction #% slower",
     less(pack_step("precomputed_weights")),
     counter(pack("precomputed_weights"), "l1_hit_percent"), counter(pack("baseline"), "l1_hit_percent"),
     more(slow_pack("precomputed_weights"))),
    ("0.39 against 0.53 ms, #% of uniform weights packed greedily", greedy_share("uniform")),
    ("10^8 samples of 10^6 rows have # times the rate of 10^5",
     quotient(swept("baseline", 10**6, 10**8), swept("baseline", 10**6, 10**5))),
    ("Reproduced with a difference: #, # and # times the baseline's rate", *by_rows("cached", "baseline")),
    ("Reproduced: with xorwow and no output, as there, # and # times the rate of the cached sampler",
     *for_each(limited_against_cached, 6, 7)),
    ("With Philox, written, #, # and # times: there is little to gain", *by_rows("cached_limited", "cached")),
    ("and #% of the cached sampler's reads hit the L1", counter(without_output("cached"), "l1_hit_percent")),
    ("Reproduced: #, # and # times the limited sampler", *by_rows("shared_memory", "cached_limited")),
    # Chapter 4
    ("Vose 83.9, which varies by a factor of #", varies("vose_1t", LAW)),
    ("pack 260 to 41, split 51 to 12 us (`psa_plus_profile.json`) | Reproduced: #% of uniform",
     greedy_share("uniform")),
    ("With many samples the baseline sampler loses # to #% by hashing, with #% fewer instructions",
     *for_each(hashed, "md5", "sha1"), less(quotient(*for_each(
         lambda seeding: counter(f"sample/baseline_xorwow_{seeding}_no_output/uniform/1000000/1000000000",
                                 "warp_instructions"), "pkpt_sha1", "subsequence")))),
    ("where the thesis's saved only #% of the reads", lambda _: 100 * (1 - 77 / 79)),
    ("and issue in #% of all cycles, so that", counter(pack("baseline"), "issue_percent_of_peak")),
    ("Reproduced: CUB is # and # times as fast as the first two. Reproduced with a difference: # times as "
     "fast as the one in place",
     *for_each(scan, "basic", "work_efficient", "work_efficient_in_place")),
    ("86 us, # times faster", partition("classification_kernel", "on_demand")),
    ("67 us, # times faster again", partition("on_demand", "cub")),
    ("with 655,360 splits large groups are # times as fast",
     quotient(split_ms("baseline_group_1", 655360), split_ms("baseline", 655360))),
    ("at 10^7: it has # times the readable form's speed", branches("baseline")),
    ("Reproduced with a difference: elsewhere it gains, at most # times", gain_of_reads_after_branch),
    ("With 10^6 items it gains # times with shared memory and indices, # with the baseline and # with "
     "chunks. With 10^7 it gains # to #% with shared memory",
     *for_each(lambda method: branches(method, 10**6), "shared_memory", "baseline", "chunked"),
     *for_each(lambda method: more(branches(method)), "shared_memory", "shared_memory_masses")),
    ("#% with chunks and masses or precomputed weights", more(branches("chunked_masses"))),
    ("the readable form is faster by #% with the baseline and indices, and by #% with sweeping",
     lambda records: 100 * (1 / branches("baseline")(records) - 1),
     more(quotient(*for_each(slow_pack, "sweeping_shared_loop", "sweeping")))),
    ("Contradicted: #% slower, and with PSA+ #% faster. Copied past the registers, # times as much is "
     "read from the L2",
     more(faster("gpu/pack_methods", pack("chunked_async_masses"), pack("chunked_masses"))),
     more(faster("gpu/construction", f"construct/{CHUNKED}_psa_plus/{UNIFORM}",
                 f"construct/partial_p_ary_chunked_async_masses_psa_plus/{UNIFORM}")),
     quotient(counter(pack("chunked_async_masses"), "l2_sectors_read"),
              counter(pack("chunked_masses"), "l2_sectors_read"))),
    ("sections of 32 rows being # times as fast as of 64, # times with 10^6 items; only with 2·10^6 are those "
     "of 64 faster, by #%",
     *for_each(lambda items: faster("gpu/pack_methods", pack("chunked_masses", items),
                                    pack("chunked_masses_sections_of_32", items)), 10**7, 10**6),
     more(faster("gpu/pack_methods", pack("chunked_masses_sections_of_32", 2 * 10**6),
                 pack("chunked_masses", 2 * 10**6)))),
    ("# splits of 10^7 items are # for each of the # threads that this GPU can hold at once",
     lambda _: 10**7 / 32, lambda _: 10**7 / 32 / RESIDENT_THREADS, lambda _: RESIDENT_THREADS),
    ("Contradicted: sweeping takes # and # times the baseline's time",
     *for_each(slow_pack, "sweeping", "sweeping_shared_loop")),
    ("their pack step takes # and # times the baseline's (3.2.5); the whole construction, with the "
     "reordering, # and # times",
     *for_each(pack_step, "reordered_round_robin", "reordered_random"),
     *for_each(slow_pack, "reordered_round_robin", "reordered_random")),
    ("CUB's is # times as fast with weights and # with indices",
     partition("custom_masses", "cub_masses"), partition("custom", "cub")),
    ("Reached: # times for xorwow by subsequence, # times for the Mersenne Twister",
     times(1 / 26, generated("xorwow_subsequence")), times(1 / 25, generated("mtgp32"))),
    ("are #% slower than 198", less(quotient(*for_each(
        lambda grid: rate("gpu/grid_sizes", f"{GRIDS}/{grid}"),
        "165x256", "198x256")))),
    ("with 10^9 samples hashing is # to #% slower", *for_each(hashed, "md5", "sha1")),
    ("pack 270 against 402 us, # times; # for i^-1 shuffled",
     *for_each(lambda weights: quotient(pack_us(64, weights), pack_us(128, weights)), "uniform", LAW)),
    ("Reproduced: # times the theory is read from the L2, there #. Reproduced with a difference: from "
     "memory only # times, there #; a thread for each bisection, which is what the formula describes, "
     "reads # and # times",
     lambda records: split_reads(records, "partial_p_ary", 5 * 10**7, 655360), lambda _: 620 / 434,
     lambda records: split_reads(records, "partial_p_ary", 5 * 10**7, 655360, of_memory=True),
     lambda _: 1050 / 434, lambda records: split_reads(records, "baseline", 5 * 10**7, 655360),
     lambda records: split_reads(records, "baseline", 5 * 10**7, 655360, of_memory=True)),
    ("With 10^7 items, where #% of the reads hit the L2, # times the theory is read from it, and # times "
     "from memory",
     split_counted("partial_p_ary", 655360, "l2_hit_percent"),
     lambda records: split_reads(records, "partial_p_ary", 10**7, 655360),
     lambda records: split_reads(records, "partial_p_ary", 10**7, 655360, of_memory=True)),
    ("20 and 823 to and from the L2), hit rates #% and #%",
     *for_each(lambda field: counter("split/partial_p_ary/uniform/50000000/655360", field),
               "l1_hit_percent", "l2_hit_percent")),
    ("hit rates #% and #%; the L2 at #% of its peak (#%)", stored(128, "l1_hit_percent"),
     stored(128, "l2_hit_percent"), stored(128, "l2_percent_of_peak"), stored(64, "l2_percent_of_peak")),
    ("Reproduced: # times the table is written, there #. Reproduced with a difference: # times the lists "
     "are read, there #;",
     times(1 / 800e6, stored(128, "memory_bytes_written")), lambda _: 849 / 762,
     times(1 / 800e6, stored(128, "memory_bytes_read")), lambda _: 778 / 762),
    ("Written to memory is # times the table, there 1.11, and read are # times the lists",
     *for_each(lambda field: times(1 / 800e6, stored(128, field)),
               "memory_bytes_written", "memory_bytes_read")),
    ("why the L2 counts # times what it is sent",
     quotient(stored(128, "l2_sectors_written"), stored(128, "l1_sectors_stored"))),
    ("with wide loads the baseline sampler is # times as fast at 10^6 rows, # times at 10^7, and the "
     "cached one # times at both",
     loads("baseline", 6), loads("baseline", 7), loads("cached", 6)),
    ("and read # times less from the L2 than the baseline (with xorwow)",
     read_from_l2("baseline_xorwow_loads_128", "cached_xorwow_loads_128")),
    ("The cached sampler finds #% of its rows in the L1",
     counter(without_output("cached"), "l1_hit_percent")),
    ("Shared memory reads # times less than the baseline with Philox, # times with xorwow, # times there",
     read_from_l2("baseline", "shared_memory"), read_from_l2("baseline_xorwow", "shared_memory_xorwow"),
     lambda _: 79 / 0.34),
    ("# times as many sectors are loaded. The baseline's warp has lost most of them by then, and asks the "
     "L2 for # times as many",
     quotient(*for_each(lambda bits: counter(
         without_output(f"baseline_xorwow_loads_{bits}"), "l1_sectors_loaded"), 64, 128)),
     read_from_l2("baseline_xorwow_loads_64", "baseline_xorwow_loads_128")),
    ("for the same two scans, #%;", more(optimized("sums_one_by_one", "sums_two_streams"))),
    ("loses #% here: cause not measured", more(optimized("interleaved_10", "split_then_pack"))),
    ("Reproduced with a difference: # times at most in the cases of the table, where theirs is 1.25 times; # "
     "for PSA+ of i^-1 shuffled, which it lacks",
     most(tuned("psa", LAW), tuned("psa", "uniform"), tuned("psa_plus", "uniform")), tuned("psa_plus", LAW)),
    ("and # is best in # of the # searches", lambda records: min(workers_of_best(records)),
     lambda records: sum(workers % 32 != 0 for workers in workers_of_best(records)),
     lambda records: len(workers_of_best(records))),
    ("preferring L1 makes the shared-memory pack # (uniform, 10^7) to # times slower (i^-1 shuffled, "
     "10^8), preferring shared memory gains nothing (up to #% slower)",
     optimized("prefer_l1", "stores_128"),
     optimized("prefer_l1", "stores_128", f"{LAW}/100000000"),
     most(*(more(optimized("prefer_shared", "stores_128", f"{weights}/{items}"))
            for weights in ("uniform", LAW) for items in (10**7, 10**8)))),
    ("so that # times the instructions of the readable one do not matter",
     pack_step("baseline_branched", "warp_instructions")),
    # Chapters 5 and 6
    ("p-ary # to # times as fast as the baseline below 10,240 splits, # there, # at 81,920, # at 327,680, "
     "# at 655,360",
     least(*(split_gain(splits) for splits in SPLITS if splits < 10240)),
     most(*(split_gain(splits) for splits in SPLITS if splits < 10240)),
     *for_each(split_gain, 10240, 81920, 327680, 655360)),
    ("the whole construction with shared memory #% less, for i^-0.5 and i^-1 shuffled # and #%",
     *for_each(split_saves, "uniform", ROOT_LAW, LAW)),
    ("with the baseline pack #% (`progress.json`)",
     less(milestones("4_partial_p_ary_split", "3_cub_partition"))),
    ("Contradicted: chunks have # times the speed of shared memory at 2·10^7",
     faster("gpu/pack_methods", *for_each(lambda method: pack(method, "20000000"),
                                          "shared_memory_masses", "chunked_masses"))),
    ("Reproduced: shared memory reads #% less from the L2 than the baseline",
     less(pack_step("shared_memory", "l2_sectors_read"))),
    ("and weights make the pack step # times as fast",
     pack_step_gain("shared_memory")),
    ("Reached: #, # and # times, in random order #. The baseline takes #.",
     *for_each(lambda of: lambda records: published_value("thesis_table_5_1", method=of[0])
               / (records.ms("gpu/uncompetitive_packs", pack(of[1])) / 10),
               ("sweeping_pack", "sweeping"), ("precomputed_weights", "precomputed_weights"),
               ("reordered_lists", "reordered_round_robin"), ("reordered_lists", "reordered_random")),
     lambda records: records.ms("gpu/uncompetitive_packs", pack("baseline")) / 10),
    ("| #% and #% packed greedily; chunked # (uniform) and # (i^-0.5 shuffled) times faster, shared "
     "memory # and #;",
     *for_each(greedy_share, "uniform", ROOT_LAW),
     *(psa_plus(method, weights) for method in ("chunked", "shared_memory")
       for weights in ("uniform", ROOT_LAW))),
    ("for uniform weights the baseline split reads # times as much as for i^-1 shuffled, the partial "
     "p-ary one # times",
     *for_each(lambda method: split_reads_by_weights(method, 327680), "baseline", "partial_p_ary")),
    ("at 327,680 splits the baseline split reads # times as much for uniform weights as for i^-1 shuffled "
     "(610 and 225 MB), the partial p-ary one # times (107 and 85 MB), at 655,360 # and # times",
     *(split_reads_by_weights(method, splits) for splits in (327680, 655360)
       for method in ("baseline", "partial_p_ary"))),
    ("The split takes # times as long for uniform weights as for i^-1 shuffled",
     quotient(profile_us("split_us", "uniform"), profile_us("split_us", LAW))),
    ("0.40 ms (PSA+): # and # times", milestones("2_pointer_arithmetic", "6_masses_in_l_and_h"),
     milestones("2_pointer_arithmetic", "8_psa_plus")),
    ("| Reproduced: # times. What came before", milestones("2_pointer_arithmetic", "8_psa_plus")),
    ("Reached: # and # times as fast; # times our PSA on two cores",
     *for_each(lambda items: lambda records: table("thesis_table_5_2", "thesis_a", items)()
               / build_gpu(items)(records), 10**7, 10**8), quotient(build_cpu(), build_gpu(10**7))),
    ("with both transfers it is # times as fast as our PSA on two cores",
     lambda records: build_cpu(UNIFORM)(records) / records.ms("gpu/transfers", f"transfer/both/{UNIFORM}")),
    ("| shared memory pack #% (uniform) and #% (i^-1 shuffled) slower at 10^7, all methods # to #%, at "
     "10^8 # to #%",
     *for_each(lambda weights: arrays("shared_memory_masses", weights, 10**7), "uniform", LAW),
     *(all_arrays(limit, items) for items in (10**7, 10**8) for limit in (least, most))),
    ("on i^-1 shuffled the loss is larger, #%", arrays("shared_memory_masses", LAW, 10**7)),
    ("Reached: # and # times. Reproduced: the baseline is the fastest",
     *for_each(lambda rows: times(1 / 15, swept("shared_memory", rows, 10**10)), 10**6, 10**7)),
    ('Reached: #, # and # times. "Up to 56" is the ratio at 10^6; at 10^7 the table gives #.',
     *for_each(lambda of: lambda records: 1000 * draw(of[0], of[1])(records) / theirs(of[2], of[1])(),
               ("cached_limited_xorwow", 10**6, LIMITED), ("cached_limited_xorwow", 10**7, LIMITED),
               ("baseline_xorwow", 10**8, BASELINE)),
     lambda _: theirs(LIMITED, 10**7)() / table("thesis_table_5_3", "thesis_b", 10**7, method="cpu")()),
    ("Reached: # times. Reproduced: slower than baseline sampling",
     times(1 / 0.9, rate("gpu/rejection", "sample/gpu_rejection_array/uniform/1000000/100000000"))),
    ("for C Table 5.3 has # MSamples/s at 10^8",
     lambda _: table("thesis_table_5_3", "thesis_c", 10**8)()),
    ("building takes # (array) and # times (binary search) as long as an alias table",
     *for_each(lambda method: faster("gpu/rejection", f"build/gpu_rejection_{method}/{UNIFORM}",
                                     f"build/{SHARED}/{UNIFORM}"), "array", "binary")),
    ("2.5 J for 10^8 items by the chunked pack, as there, 1.8 J above idle; # and # by shared memory",
     *for_each(lambda field: value("gpu/energy", f"energy/construct_gpu/{LAW}/100000000", field),
               "joules", "joules_above_idle")),
    ("(7/47 is #%, given as 14%)", lambda _: 700 / 47),
    ("15 J/GSample by the baseline sampler, as there, # above idle; # and # by shared memory sections",
     value("gpu/energy", f"energy/sample_gpu_baseline/{LAW}/100000000/1000000000", "joules_above_idle"),
     *for_each(lambda field: value("gpu/energy", f"energy/sample_gpu/{LAW}/100000000/1000000000", field),
               "joules", "joules_above_idle")),
    ("Reached: # of theirs, both above idle",
     times(1 / 69, value("gpu/energy", f"energy/sample_gpu_baseline/{LAW}/100000000/1000000000",
                         "joules_above_idle"))),
    ("in all, weights make shared memory #, chunks #, the baseline # times faster",
     *for_each(weights_in_lists, "shared_memory", "chunked", "baseline")),
    ("and the partition takes # times as long (92 against 67 us", partition("cub_masses", "cub")),
    ("At 81,920 splits #% of the warps are resident",
     split_counted("baseline", 81920, "warps_percent_of_peak")),
    ("it reads 610 MB from memory there, # times the 80 MB",
     times(1 / 80e6, split_counted("baseline", 327680, "memory_bytes_read"))),
    ("The # threads that are resident cover #% of the prefix sums with sections of 31 items, and #% with 16: # "
     "and # MB", lambda _: RESIDENT_THREADS,
     *for_each(lambda items: lambda _: 100 * RESIDENT_THREADS * items / 1e7, 31, 16),
     *for_each(lambda items: lambda _: 80 * RESIDENT_THREADS * items / 1e7, 31, 16)),
    ("random places: # ms at 10% heavy, # at 50%, # at 90%; leading: # at 50%",
     *for_each(lambda family: lambda records: records.ms(
         "gpu/heavy_fraction", f"construct/{CHUNKED}/heavy_fraction_{family}/10000000"),
         "10_random", "50_random", "90_random", "50_leading")),
    ("both forms read as much from the L2, the readable one #% less",
     less(pack_step("baseline_branched", "l2_sectors_read"))),
    ("and #% against #% of its reads hit the L2",
     *for_each(lambda splits: split_counted("baseline", splits, "l2_hit_percent"), 327680, 655360)),
    ("| # times PSA with 2 threads, 79.1 ms, by the chunked pack, 0.54; # times our fastest",
     quotient(build_cpu(), build_gpu(10**7)),
     lambda records: records.ms(CPU, f"construct/sectioned_sweep_2t/{LAW}/10000000")
     / records.ms("gpu/construction", f"construct/{SHARED}/{LAW}/10000000")),
    ("Reached: # times. Reproduced: sections are # and # times as fast as the baseline",
     lambda records: 1000 * draw("cached_limited_xorwow", 10**6)(records) / theirs(LIMITED, 10**6)(),
     *by_rows("shared_memory", "baseline")[:2]),
    ("the split's time varies by a factor of #, and is # to #% of the whole", spread("split_us"),
     of_heavy_fraction(min, split_share), of_heavy_fraction(max, split_share)),
    ("which takes # times as long as the authors' did there (`plots/published/measured_peers.csv`), so # "
     "times that",
     lambda records: build_cpu()(records) / authors_psa(records),
     lambda records: authors_psa(records) / build_gpu(10**7)(records)),
    ("the baseline's up to # times (`split_methods.json`)", most(*(
        quotient(split_ms("baseline", splits), split_ms("baseline", splits, LAW)) for splits in SPLITS))),
    # The report
    ("| reads at most # times, # with 10^7 items (`pack_methods.json`); stores # times "
     "(`optimizations.json`)",
     gain_of_reads_after_branch, branches("shared_memory_masses"),
     quotient(pack_us(64, "uniform"), pack_us(128, "uniform"))),
    ("| up to # times (`split_methods.json`)", most(*map(split_gain, SPLITS))),
    ("1.32 to 0.52 ms: # times; chunks 0.70, and 0.40 with PSA+: # and # times",
     *for_each(lambda last: milestones("3_cub_partition", last),
               "6_masses_in_l_and_h", "7_chunked", "8_psa_plus")),
    ("Reproduced with a difference: # times with the last step of theirs, chunks, which lose here, # "
     "without. The pack step alone gets # times as fast",
     *for_each(lambda last: milestones("3_cub_partition", last), "7_chunked", "6_masses_in_l_and_h"),
     pack_step_gain("baseline")),
    ("| #%, # and # times with the chunked pack", greedy_share("uniform"),
     *for_each(lambda weights: psa_plus("chunked", weights), "uniform", ROOT_LAW)),
    ("17 is the ratio at 10^7; Table 2 gives # at 10^8",
     lambda _: table("report_table_2", "desktop", 10**8)() / table("report_table_2", "rtx_2080", 10**8)()),
    ("Reached: # and # times as fast as the V100",
     *for_each(lambda items: lambda records: table("report_table_2", "tesla_v100", items)()
               / build_gpu(items)(records), 10**7, 10**8)),
    ("Reached: #, # and # times the V100; # times our CPU's two cores at 10^7",
     *for_each(lambda of: against(table("report_table_3", "tesla_v100", of[1]), draw(*of)),
               ("cached_limited_xorwow", 10**6), ("cached_limited_xorwow", 10**7),
               ("baseline_xorwow", 10**8)),
     lambda records: draw("cached_limited_xorwow", 10**7)(records)
     / records.rate(CPU_DRAWS, f"sample/batched_{{most}}t/{LAW}/10000000/{{most}}")),
    ("with 8-byte rows, which gain #% at 10^6, #% at 10^8 and #% at 10^9", *for_each(compact_gain, 6, 8, 9)),
    # Beyond the papers
    ("# to #% of that copy from 10^8 items on, #% for words and # to #% where half",
     *(merge_share(limit, "uniform", ROOT_LAW, LAW, "powerlaw_1", "powerlaw_2") for limit in (least, most)),
     merge_share(least, "words"),
     *(merge_share(limit, "ramp", "sine", "one_light", "heavy_fraction_90_leading")
       for limit in (least, most))),
    ("uniform items take them # ms, and the merge # in the same run.",
     *(built_ms(form, "uniform", 8) for form in ("swept", "merged"))),
    ("a table takes # to #% longer than by a merge from the start",
     *(limit(*(more(quotient(built_ms("swept", weights, 8), built_ms("merged", weights, 8))) for weights in UNSUITED))
       for limit in (least, most))),
    ("`one_light` takes # ms into rows of 16 bytes, and PSA #; with rows of 8 bytes it takes #.",
     *for_each(lambda method: built_ms(method, "one_light", 7),
               "merge_wide_double", "partial_p_ary_shared_memory_masses_double", "merge_double")),
    ("the exact table takes # to # times as long as the best sweep in floating-point arithmetic",
     *(of_host("cpu_emerald_rapids", swept_against_floating(limit)) for limit in (min, max))),
    ("and # to # times on two cores without",
     *(of_host("cpu_zen3", swept_against_floating(limit)) for limit in (min, max))),
    ("where uniform weights take # copies.",
     of_host("cpu_zen3", quotient(cpu("sectioned_sweep_fixed_compact_2t"), cpu("copy_floor_2t")))),
    ("i^-2 # ms in place of #, words # in place of #.",
     *(built_ms(form, weights, 7) for weights in ("powerlaw_2", "words") for form in ("swept", "merged"))),
    ("uniform ones take # ms, by the merge #, and i^-0.5 # and #.",
     *(built_ms(form, weights, 7) for weights in ("uniform", ROOT_LAW) for form in ("swept", "merged"))),
    ("beside the other kernels, by # to #%; at 10^7 of i^-0.5", *L1_BEYOND_TARGETS),
    ("for one of them up to #% of the time (#% at 10^7)",
     *(percent(most(*(quotient(*(of_kernel(f"construct/merged/{weights}/{items}", "make_rows", field)
                                 for field in ("stalled_by_memory", "warp_cycles")))
                      for weights in ("uniform", ROOT_LAW)))) for items in (10**8, 10**7))),
    ("It has #% of its peak, with 10^8 uniform items, two fifths of that conflicts between banks of shared "
     "memory (`counters.json`). The multiprocessors issue in #% of their cycles, and memory is at #% of its "
     "peak. What the rest of the time is, all cycles of the #% of the warps that are resident",
     *for_each(lambda field: of_kernel("construct/merged/uniform/100000000", "make_rows", field),
               "l1_percent_of_peak", "issue_percent_of_peak", "memory_percent_of_peak",
               "warps_percent_of_peak")),
    ("Of i^-0.5 it is the same with # instructions an item in place of #",
     *for_each(lambda weights: times(32 / 10**8, of_kernel(f"construct/merged/{weights}/100000000",
                                                           "make_rows", "warp_instructions")),
               ROOT_LAW, "uniform")),
    ("with # instructions an item and less of the L1 (#%): weights",
     times(32 / 10**7, of_kernel("construct/merged/uniform/10000000", "make_rows", "warp_instructions")),
     of_kernel("construct/merged/uniform/10000000", "make_rows", "l1_percent_of_peak")),
    ("10^8 uniform items take # ms (# without), i^-0.5 # (#), 10^7 uniform # (#). But i^-1 shuffled takes # "
     "(#), i^-1 # (#), a ramp # (#), as sweeps",
     *(sketch(form, "milliseconds", *of) for of in ((), (ROOT_LAW,), ("uniform", 10**7), (LAW,),
                                                    ("powerlaw_1",), ("ramp",))
       for form in ("strips", "merge"))),
    ("`make_rows` issues # instructions an item, of i^-0.5 #.",
     *for_each(lambda weights: sketch("strips", "instructions", weights), "uniform", ROOT_LAW)),
    ("of uniform weights and of i^-0.5: # and # ms whole; # and # where tiles take nothing from others; # of "
     "either where they only sweep their strips, with memory at #% of its peak and the L2 at #%; # and # "
     "without the sweeps",
     *(made_rows_ms(form, weights) for form in ("strips", "strips_no_exchange")
       for weights in ("uniform", ROOT_LAW)),
     made_rows_ms("strips_swept_only"),
     *for_each(lambda unit: sketch("strips_swept_only", f"{unit}_percent_of_peak"), "memory", "l2"),
     *for_each(lambda weights: made_rows_ms("strips_masses_only", weights), "uniform", ROOT_LAW)),
    ("take # ms, and 10^7 #, with right masses. `make_rows` issues # instructions an item with # "
     "wavefronts for 32, and takes # ms with ten warps a multiprocessor, # with twelve",
     warp_tiles_built(MORE_WHOLE_TILES), warp_tiles_built(WHOLE_TILES), warp_tiles("", "instructions"),
     warp_tiles("", "wavefronts"), warp_tiles_ms(), warp_tiles_ms("_twelve_warps")),
    ("Without what goes from tile to tile #, and # with sweeps alone",
     *for_each(warp_tiles_ms, "_no_exchange", "_swept_only")),
    ("Of uniform weights that launch takes # ms; # without the second sweep and without storing what is left; of "
     "that, # without any sweep, and # without writing rows",
     *for_each(shared_lists_launch, "_sweeps", "_nothing_left", "_no_sweeps", "_no_rows")),
    ("tables take # ms, of i^-0.5 #, of 10^7 uniform items #: tiles with an excess have a launch of # us, and "
     "the others one of #, where",
     shared_lists(), shared_lists(weights=ROOT_LAW), shared_lists(items=WHOLE_TILES),
     *for_each(lambda form: times(1e3, shared_lists_launch(form)), "_with_excess", "_that_lack")),
    ("items that are left, that is #, # and #, since a block",
     shared_lists("_groups"), shared_lists("_groups", ROOT_LAW), shared_lists("_groups", items=WHOLE_TILES)),
    ("the first launch # and # ms where four and eight warps join their lists, and # where lanes",
     *for_each(shared_lists_launch, "_four_warps", "_eight_warps", "_runs")),
    ("what is left would take a thirtieth of # ms",
     times(1e-6, of_kernel("construct/merged/uniform/100000000", "make_rows", "duration_ns"))),
    ("the L1 is at #% of its peak in place of #%, and 10^8 uniform items take # ms (#), 10^7 # (#). The copies "
     "alone (`merge_loads`) have #.",
     *for_each(lambda form: sketch(form, "l1_percent_of_peak"), "merge_copies", "merge"),
     *(sketch(form, items=items) for items in (10**8, 10**7) for form in ("merge_copies", "merge")),
     sketch("merge_loads")),
    ("which they do (# times), and no",
     quotient(cpu("sectioned_sweep_fixed_compact_2t"), cpu("copy_floor_2t"))),
    ("it takes # times as long for uniform weights, # for i^-1 shuffled, # for i^-1 and # for i^-0.5: with",
     *for_each(wide_exact_against_floating, "uniform", LAW, "powerlaw_1", ROOT_LAW)),
    ("where the exact table's time varies by a factor of # in the first record",
     varies("sectioned_sweep_fixed_compact_1t", "words")),
    ("by 7 rounds and by 10, the library's, which have #, #, # and #% to spare",
     *(more(times(1 / target, beyond("sectioned", exponent, 10**10)))
       for exponent, target in SECTIONED.items())),
    ("from 10^9 samples on, #, #, # and # from 10^6 to 10^9 rows",
     *(lambda _, target=target: target for target in SECTIONED.values())),
    ("as with 10^6 rows, they would have #, # and #", *for_each(at_bytes_of_few_rows, 7, 8, 9)),
    ("the others take #, # and # of 10 rounds",
     *for_each(lambda exponent: beyond("sectioned", exponent, 10**9), 7, 8, 9)),
    ("writing alone allows # (# of 10^10)", *for_each(writing_floor, 10**9, 10**10)),
    ("met by the small table (# GSamples/s with 10 rounds)", beyond("small_table", 4, 10**9)),
    ("met by rows of 2 bytes, # with the packing counted (rows of 4 bytes #)",
     beyond("direct_short", 7), beyond("direct_packed", 7)),
    ("another one had 59.5, 36.8 and 35.4 (not recorded) where the table's has #, # and #, and here 150 is met by #%",
     *for_each(lambda exponent: beyond("direct", exponent), 7, 8, 9),
     more(times(1 / 150, beyond("direct", 6)))),
    ("*A small draw*, 10^6 samples of 10^7 rows in # us", lambda _: 1000 * SMALL_DRAW_MS),
    ("*In random order* # at 10^4: met by the small table (", lambda _: RANDOM_ORDER[4][1]),
    ("10 rounds); # at 10^6: met; # at 10^7: met by rows of 2 bytes", lambda _: RANDOM_ORDER[6][1],
     lambda _: RANDOM_ORDER[7][1]),
    ("; # and # at 10^8 and 10^9: met in blocks", lambda _: RANDOM_ORDER[8][1], lambda _: RANDOM_ORDER[9][1]),
    ("where they take # now.", small_draw_us("sectioned_philox7")),
    ("the table as built takes #, missed by #%; rows of 2 bytes that were packed before, which takes # us "
     "and 20 MB, take # for uniform weights and # for i^-1 shuffled, both met",
     small_draw_us("direct"), more(times(1 / 15, small_draw_us("direct"))),
     lambda records: small_draw_us("direct_short")(records) - small_draw_us("direct_short_kept")(records),
     small_draw_us("direct_short_kept", "uniform"), small_draw_us("direct_short_kept")),
    ("take # us, # with kept rows of 4 bytes and # of 2 (`beyond_sampling.json`)",
     *for_each(small_draw_us, "direct", "direct_packed_kept", "direct_short_kept")),
    ("at the rate of 10^9 samples alone it would be #, # and #",
     *for_each(lambda sampler: lambda records: 1000 / beyond(sampler, 7)(records),
               "direct", "direct_packed_kept", "direct_short_kept")),
    ("With 10 rounds a sample takes # instructions, and the busiest unit of the multiprocessors is at #% "
     "of its peak, the L1 at #, the L2 at # and memory at #; with 7 rounds #, the L1 is at #, the L2 at # "
     "and memory at #",
     instructions_a_sample("sectioned"),
     *for_each(lambda field: drawn_counted("sectioned", 6, field),
               "sm_percent_of_peak", "l1_percent_of_peak", "l2_percent_of_peak", "memory_percent_of_peak"),
     instructions_a_sample("sectioned_philox7"),
     *for_each(lambda field: drawn_counted("sectioned_philox7", 6, field),
               "l1_percent_of_peak", "l2_percent_of_peak", "memory_percent_of_peak")),
    ("In random order the L2 limits (10^6 rows: #% of its peak; 10^7: #%, with 4 bytes #%)",
     drawn_counted("direct", 6, "l2_percent_of_peak"), drawn_counted("direct", 7, "l2_percent_of_peak"),
     drawn_counted("direct_packed_kept", 7, "l2_percent_of_peak")),
    ("memory reads # bytes for each row of 8 of 10^8, and # of 10^9, at # and #% of its peak, with the L2 "
     "at # and #%",
     *for_each(lambda exponent: times(1e-9, drawn_counted("direct", exponent, "memory_bytes_read")), 8, 9),
     *(drawn_counted("direct", exponent, field) for field in ("memory_percent_of_peak", "l2_percent_of_peak")
       for exponent in (8, 9))),
    ("(issue #% of its peak), and 2.2 ms to draw them (L2 #%)",
     *(of_kernel(f"sample/direct_sectioned/{LAW}/100000000/1000000000", kernel, field) for kernel, field in (
         ("count_sections", "issue_percent_of_peak"), ("draw_sections_of_blocks", "l2_percent_of_peak")))),
    ("reads samples at random from the L2, at #% of its peak",
     of_kernel(f"sample/direct_sectioned/{LAW}/100000000/1000000000", "order_blocks", "l2_percent_of_peak")),
    ("the L2 alone would need # us at its peak for the table as built, and # by the launch of 10^9 samples",
     draw_counted("direct", L2_US), times(1e-3, draw_counted("direct", L2_US, 10**9))),
    ("within what launches differ by; for rows of 4 and 2 bytes # and #.",
     *(draw_counted(sampler, L2_US) for sampler in SMALL_DRAWS[1:])),
    ("(`counters.json`, where all takes #, # and # us), the L2",
     *(draw_counted(sampler, lambda row: row["duration_ns"] / 1000) for sampler in SMALL_DRAWS)),
    ("the L1 is at #% of its peak in place of #, the L2 at # in place of #",
     *(drawn_counted("sectioned", exponent, f"{unit}_percent_of_peak") for unit in ("l1", "l2")
       for exponent in (7, 6))),
    ("in #, # and #% of the cycles a multiprocessor has no block. The",
     *(less(draw_counted(sampler, with_blocks)) for sampler in SMALL_DRAWS)),
    ("at most 46% of the warps are; #, # and #% are. And of the #, # and # cycles from one instruction of a "
     "warp to its next one it waits #, # and # for memory, #, # and # for a place in the queue to it, with "
     "the table as built # at its end, until its samples are written, and #, # and # are all else. Without",
     *(draw_counted(sampler, operator.itemgetter(field))
       for field in ("warps_percent_of_peak", "warp_cycles", "stalled_by_memory", "stalled_by_memory_queue")
       for sampler in SMALL_DRAWS),
     draw_counted("direct", operator.itemgetter("stalled_by_end")),
     # Of the others the end is less than 1.
     *(draw_counted(sampler, lambda row: row["warp_cycles"] - row["stalled_by_memory"]
                          - row["stalled_by_memory_queue"] - row["stalled_by_end"]) for sampler in SMALL_DRAWS)),
    ("the table as built would still take # us. Per second of the launch there are #, # and #·10^9 cycles, # in",
     draw_counted("direct", lambda row: (row["duration_ns"] / 1000 * with_blocks(row)
                                         * (1 - row["stalled_by_end"] / row["warp_cycles"]))),
     *(draw_counted(sampler, cycles_a_ns) for sampler in SMALL_DRAWS),
     draw_counted("direct", cycles_a_ns, 10**9)),
    # Shuffling
    ("VariablePhilox # with 16 rounds, # with 18, then # to # up to 40; ours # with 26 and # with 34, # "
     "to # with the other numbers of rounds from 18 on; LCG #; `std::shuffle` #",
     *for_each(lambda number: with_rounds("var_philox", number), 16, 18),
     *for_each(lambda limit: chi_squared("var_philox", limit, lambda rounds: rounds >= 20), min, max),
     *for_each(lambda number: with_rounds("lazy", number), 26, 34),
     *for_each(lambda limit: chi_squared("lazy", limit, {*range(18, 41)}.difference((26, 34)).__contains__),
               min, max), chi_squared("lcg"), chi_squared("std_shuffle")),
    ("two passes are slower than three (# to # times)",
     *(fused(1, 0, limit, [*(2**k + one for k in range(8, 21) for one in (0, 1)), 2**21, 2**22 + 1])
       for limit in (least, most))),
    ("issues # times as many as ours, and has # times the accesses of shared memory",
     *for_each(counted_shuffles, "warp_instructions", "shared_wavefronts")),
    ("Bijective2 is # and # times as fast as sorting and dart throwing, which are # and # times as fast "
     "as theirs on the V100, Bijective2 # times",
     *for_each(lambda slow: shuffles("bijective2_varphilox", slow, 2**29), "sort", "dart_throwing"),
     V100("sort_shuffle", "sort"), V100("dart_throwing", "dart_throwing"),
     V100("var_philox", "bijective2_varphilox")),
    ("no shuffle passes it, but for the LCG at 2^26 and 2^26 + 1, by # and #%",
     *for_each(lambda items: more(shuffles("bijective2_lcg", "gather", items)), 2**26, 2**26 + 1)),
    ("Reproduced: for n = 2^k from 2^26 on, # to #% of the gather. Reproduced with a difference: at 2^k + "
     "1 it has #%",
     *(limit(*(fusion_share(2**k) for k in (26, 27, 28, 29))) for limit in (least, most)),
     least(*(fusion_share(2**k + 1) for k in (26, 27, 28, 29)))),
    ("from three passes to two # to # times as fast, from two to one # to #, from 2^26 on",
     fused(1, 0, least), fused(1, 0, most), fused(2, 1, least), fused(2, 1, most)),
    ("VarPhilox has #% of the gather, there #%. The gather is # times as fast as on the V100, VarPhilox # "
     "times; at 2^29, where no places are padded, it has #%",
     share_of_gather("bijective2_varphilox", 2**29 + 1),
     published_percent(1, "v100_32gb", 2**29 + 1, "var_philox", "gather"), V100("gather", "gather"),
     V100("var_philox", "bijective2_varphilox"), share_of_gather("bijective2_varphilox", 2**29)),
    ("VarPhilox has #% of the gather, there #%, the gather being # times as fast; at 2^26, where no "
     "places are padded, it has #%. LCG is above the gather there and here, by # and #%",
     share_of_gather("bijective2_varphilox", 2**26 + 1),
     published_percent(2, "rtx_2080_shuffling", 2**26 + 1, "var_philox", "gather"),
     against_theirs(2, "rtx_2080_shuffling", "gather", "gather", 2**26 + 1),
     share_of_gather("bijective2_varphilox", 2**26),
     lambda _: 100 * (keys_ratio(2, "rtx_2080_shuffling", 2**26 + 1, "lcg", "gather")() - 1),
     more(shuffles("bijective2_lcg", "gather", 2**26 + 1))),
    ("with a difference: Rao–Sandelius has # of the gather at 2^29 + 1 and # at 2^26 + 1, there # and #",
     *for_each(lambda items: cpu_shuffles("rao_sandelius", "gather", items), 2**29 + 1, 2**26 + 1),
     *for_each(lambda items: lambda _: keys_ratio(3, "xeon_e5", items, "rao_sandelius", "gather")(),
               2**29 + 1, 2**26 + 1)),
    ("VarPhilox # at 2^26 + 1, there #. The gather is another",
     cpu_shuffles("bijective_varphilox", "gather", 2**26 + 1),
     lambda _: keys_ratio(3, "xeon_e5", 2**26 + 1, "var_philox", "gather")()),
    ("of large arrays, at 2^29 + 1 # times as fast as VarPhilox, as there",
     cpu_shuffles("rao_sandelius", "bijective_varphilox", 2**29 + 1)),
    ("LCG has #%, there #%: cause not measured", share_of_gather("bijective2_lcg", 2**29 + 1),
     published_percent(1, "v100_32gb", 2**29 + 1, "lcg", "gather")),
    ("Ours, without padding, has # to #% of the gather at every n from 2^24 on",
     *(limit(*(share_of_gather("cycle_walk", 2**k + one) for k in range(24, 30) for one in (0, 1)))
       for limit in (least, most))),
    ("Sorting is # times and dart throwing # times as fast as theirs", V100("sort_shuffle", "sort"),
     V100("dart_throwing", "dart_throwing")),
    ("asks for keys ahead, and has # and # times theirs",
     *for_each(lambda items: XEON("gather", "gather_2t", items), 2**29 + 1, 2**26 + 1)),
    ("Rao–Sandelius has # times theirs at both sizes", XEON("rao_sandelius", "rao_sandelius_2t", 2**29 + 1)),
    ("Half of the bijections and of the scan are for nothing: it issues # as many instructions a key at "
     "2^29 + 1 as at 2^24, in #% of all cycles, cycle walking in #%",
     quotient(*for_each(lambda items: times(1 / items, counter(
         f"shuffle/bijective2_varphilox/{items}", "warp_instructions")), 2**29 + 1, 2**24)),
     *for_each(lambda name: counter(f"shuffle/{name}/536870913", "issue_percent_of_peak"),
               "bijective2_varphilox", "cycle_walk")),
)

README = (
    ("contradicted: # the instructions, # times the memory read",
     *for_each(lambda field: quotient(counter(pack("chunked_masses"), field),
                                      counter(pack("shared_memory_masses"), field)),
               "warp_instructions", "memory_bytes_read")),
    ("10^9 samples from 10^8 rows of 8 bytes at # GSamples/s, where reading rows at random gives #",
     *for_each(lambda sampler: rate("gpu/beyond_sampling", f"sample/{sampler}/{LAW}/100000000/1000000000"),
               "direct_sectioned", "direct")),
)

MERGED, RAMP = "construct/merged/uniform/100000000", "construct/merged/ramp/100000000"
SMALL_MERGED = "construct/merged/uniform/10000000"
SWEPT, SWEPT_ROOT_LAW = (f"construct/swept/{weights}/100000000" for weights in ("uniform", ROOT_LAW))
AT_END = "mean_microseconds_without_block_at_end"


def kernel_us(name, kernel):
    return times(1e-3, of_kernel(name, kernel, "duration_ns"))


def an_item(name, field, factor=1):
    """Of the kernel that makes the rows, for each of 10^8 items."""
    return times(factor / 10**8, of_kernel(name, "make_rows", field))


def l1_us(form, weights="uniform"):
    """How long the L1 would need at its peak in the kernel that makes the rows."""
    return lambda records: (sketch(form, "l1_percent_of_peak", weights)(records) / 100
                            * sketch(form, "make_rows_microseconds", weights)(records))


def beyond_sweeps_ms(weights):
    """What the form with strips takes for more than to sweep them and to write all rows."""
    return lambda records: (made_rows_ms("strips", weights)(records)
                            - made_rows_ms("strips_swept_only", weights)(records))


def left_beyond_sweeps_ms(weights, memory):
    """What the target leaves for that; with memory at so many percent of its peak in the sweeps, if at any."""
    def found(records):
        swept = made_rows_ms("strips_swept_only", weights)(records)
        others = sketch("strips", weights=weights)(records) - made_rows_ms("strips", weights)(records)
        at = sketch("strips_swept_only", "memory_percent_of_peak", weights)(records)
        return CONSTRUCTION[weights][8] - others - swept * (at / memory if memory else 1)
    return found


def block(what, field, weights="uniform"):
    return lambda records: one_number(records, "gpu/merge_blocks", field, distribution=weights, items=10**7,
                                      what=what)


def blocks(*kinds):
    """How many there are of these, or of all."""
    return lambda records: sum(int(row["blocks"]) for row in records.table(
        "gpu/merge_blocks", distribution="uniform", items=str(10**7)) if row["what"] in kinds or not kinds)


def launch(field, weights="uniform", items=10**7):
    return lambda records: one_number(records, "gpu/merge_launches", field, distribution=weights, items=items)


def of_sizes(field):
    """Of making rows, 10^7 uniform items against 10^8."""
    return quotient(*(of_kernel(name, "make_rows", field) for name in (SMALL_MERGED, MERGED)))


def share_with_blocks(name, kernel="make_rows"):
    return lambda records: with_blocks(kernels_of(records, name)[kernel])


def accounted(records):
    """How many times as long an item would take at 10^7 by instructions, cycles of each, warps and cycles
    without blocks."""
    return (10 * of_sizes("warp_instructions")(records) * of_sizes("warp_cycles")(records)
            / of_sizes("warps_percent_of_peak")(records)
            * share_with_blocks(MERGED)(records) / share_with_blocks(SMALL_MERGED)(records))


def moved_an_item(name):
    return lambda records: sum(row["memory_bytes_read"] + row["memory_bytes_written"]
                               for row in kernels_of(records, name).values()) / 10**8


def forms_ms(*of):
    return (built_ms(form, weights, exponent) for weights, exponent in of for form in ("swept", "merged"))


MERGE_NOTE = (
    ("10^8 uniform items take # ms by lanes and # by the merge, i^-0.5 # and #, i^-1 shuffled # and #; 10^7 "
     "uniform items # and #, i^-0.5 # and #",
     *forms_ms(("uniform", 8), (ROOT_LAW, 8), (LAW, 8), ("uniform", 7), (ROOT_LAW, 7))),
    ("i^-1 # and #, i^-2 # and #, words # and #, a ramp # and #",
     *forms_ms(("powerlaw_1", 8), ("powerlaw_2", 8), ("words", 8), ("ramp", 8))),
    ("by `counters.json` (`construct/swept`), `sum_tiles` takes # us, `finish_and_balance_tiles` #, `make_rows` # "
     "and `make_remaining_rows` #; of i^-0.5 `make_rows` takes #. It issues # warp instructions for 32 items, in #% of",
     *for_each(lambda kernel: kernel_us(SWEPT, kernel), *LANES), kernel_us(SWEPT_ROOT_LAW, "make_rows"),
     times(32 / 10**8, of_kernel(SWEPT, "make_rows", "warp_instructions")),
     of_kernel(SWEPT, "make_rows", "issue_percent_of_peak")),
    ("is at #% of its peak, the L2 at #% and the memory at #%. It reads # bytes an item where weights have 4",
     *for_each(lambda unit: of_kernel(SWEPT, "make_rows", f"{unit}_percent_of_peak"), "l1", "l2", "memory"),
     times(1 / 10**8, of_kernel(SWEPT, "make_rows", "memory_bytes_read"))),
    ("of uniform weights four kernels of #, #, # and # us", *merge_kernels_us("uniform")),
    ("Of i^-1 they take #, #, # and #: its heavy", *merge_kernels_us("powerlaw_1")),
    ("(# and # now, under the profiler)",
     *for_each(lambda weights: lambda records: sum(each(records) for each in merge_kernels_us(weights)),
               "uniform", "powerlaw_1")),
    ("(# warps wait for memory, for each instruction issued, in place of #)",
     *(of_kernel(f"construct/merged/{weights}/1000000", "make_rows", "stalled_by_memory")
       for weights in ("powerlaw_1", "uniform"))),
    ("(`construct/merge_wide/uniform/100000000`) take # ms, #% of their floor",
     built_ms("merge_wide", "uniform", 8),
     value("gpu/beyond_construction", "construct/merge_wide/uniform/100000000", "percent_of_floor")),
    ("`sum_tiles` takes # us at #% of the peak of memory, `finish_and_balance_tiles` #, `make_rows` # and "
     "`store_handed_on` #. The",
     kernel_us(MERGED, "sum_tiles"), of_kernel(MERGED, "sum_tiles", "memory_percent_of_peak"),
     *for_each(lambda kernel: kernel_us(MERGED, kernel),
               "finish_and_balance_tiles", "make_rows", "store_handed_on")),
    ("need longer than is left, by # to #%; at 10^7 of i^-0.5", *L1_BEYOND_TARGETS),
    ("they take # us of 80. `sum_tiles` takes # with memory at #% of its peak, as a launch so short has "
     "multiprocessors without a block in #% of its cycles, and counts #·10^9 cycles a second in place of # at "
     "10^8. `finish_and_balance_tiles` takes #, in which",
     merge_others_us("uniform", 10**7), kernel_us(SMALL_MERGED, "sum_tiles"),
     of_kernel(SMALL_MERGED, "sum_tiles", "memory_percent_of_peak"),
     less(share_with_blocks(SMALL_MERGED, "sum_tiles")),
     *(lambda records, name=name: cycles_a_ns(kernels_of(records, name)["sum_tiles"])
       for name in (SMALL_MERGED, MERGED)), kernel_us(SMALL_MERGED, "finish_and_balance_tiles")),
    ("of # cycles from one instruction of a warp to its next one # are at barriers, and #% of all cycles are "
     "without a block. `store_handed_on` takes #, with # of # cycles for memory, and #% without a block",
     *for_each(lambda field: of_kernel(SMALL_MERGED, "finish_and_balance_tiles", field),
               "warp_cycles", "stalled_by_barrier"),
     less(share_with_blocks(SMALL_MERGED, "finish_and_balance_tiles")), kernel_us(SMALL_MERGED, "store_handed_on"),
     *for_each(lambda field: of_kernel(SMALL_MERGED, "store_handed_on", field),
               "stalled_by_memory", "warp_cycles"),
     less(share_with_blocks(SMALL_MERGED, "store_handed_on"))),
    ("The L1 handles # wavefronts for 32 items (`merge` in `experiments/results/h200/merge_sketches.csv`), at "
     "most one a cycle, and that is the share of its peak. Of these, # are of shared memory "
     "(`shared_wavefronts`), and # are conflicts there (`shared_bank_conflicts`)",
     sketch("merge", "wavefronts"), an_item(MERGED, "shared_wavefronts", 32),
     an_item(MERGED, "shared_bank_conflicts", 32)),
    ("In a form that has #, as weights and rows", sketch("merge_copies", "wavefronts")),
    ("(`merge_copies` there), it would need # us where # are left, and # of i^-0.5 where # are; and that "
     "takes # ms in place of #, and # in place of #",
     *(of for weights in ("uniform", ROOT_LAW) for of in (l1_us("merge_copies", weights), left_us(weights, 10**8))),
     *(sketch(form, weights=weights) for weights in ("uniform", ROOT_LAW)
       for form in ("merge_copies", "merge"))),
    ("six blocks, as keys and rows of a block take 36 KB: #% of the warps. The",
     of_kernel(MERGED, "make_rows", "warps_percent_of_peak")),
    ("both, 10^8 uniform items would take # ms, where # are left; for i^-0.5, # would fit into #",
     *(times(1e-3, of) for weights in ("uniform", ROOT_LAW)
       for of in (us_without_waiting(weights, 10**8, "memory", "barrier"), left_us(weights, 10**8)))),
    ("At 10^7 uniform items `make_rows` takes # times a tenth of what it takes at 10^8: #% more instructions, #% "
     "more cycles for each, for memory mostly, #% fewer warps, and multiprocessors without a block in #% of the "
     "cycles in place of #%. Together that is #;",
     times(10, of_sizes("duration_ns")), more(times(10, of_sizes("warp_instructions"))),
     more(of_sizes("warp_cycles")), less(of_sizes("warps_percent_of_peak")),
     *(less(share_with_blocks(name)) for name in (SMALL_MERGED, MERGED)), accounted),
    ("a multiprocessor has no block for # us at the end of a launch on average (# of i^-0.5), # and #% of it, "
     "where the counters have # and #% without a block; the rest was not located. At 10^8 it is # us",
     *(launch(AT_END, *of) for of in (("uniform",), (ROOT_LAW,))),
     *(percent(quotient(launch(AT_END, *of), launch("microseconds", *of))) for of in (("uniform",), (ROOT_LAW,))),
     *(less(share_with_blocks(f"construct/merged/{weights}/10000000")) for weights in ("uniform", ROOT_LAW)),
     launch(AT_END, "uniform", 10**8)),
    ("items that a merge has room for, # of #, take # us in the median in place of #, and up to #; of the "
     "last 5 us they are # of the # that end there, and of i^-0.5 all #.",
     block("looks donors up", "blocks"), blocks("merges all", "looks donors up"),
     *for_each(lambda what: block(what, "median_microseconds"), "looks donors up", "merges all"),
     block("looks donors up", "longest_microseconds"),
     *for_each(launch, "of_these_looking_donors_up", "blocks_in_last_5_microseconds"),
     launch("of_these_looking_donors_up", ROOT_LAW)),
    ("And # of # blocks find", blocks("has no chunk", "has nothing"), blocks()),
    ("Over all # of 6 places are in use, # at 10^8", launch("mean_resident_blocks"),
     launch("mean_resident_blocks", items=10**8)),
    ("and 10^8 #% less (`merge_more_donors`",
     less(quotient(sketch("merge_more_donors"), sketch("merge_beside_more_donors")))),
    ("takes #% more at 10^7, and #% at 10^8 (`merge_chunks_in_need`)",
     *(more(quotient(*(sketch(form, items=items) for form in ("merge_chunks_in_need", "merge_beside_chunks_in_need"))))
       for items in (10**7, 10**8))),
    ("The column of wavefronts adds up to # of the #;",
     lambda records: sum(float(row["shared_wavefronts"]) for row in records.table(
         "gpu/merge_by_instruction", distribution="uniform", items=str(10**8))),
     an_item(MERGED, "shared_wavefronts", 32)),
    ("14 blocks of 64 threads resident, # instructions an item "
     "(`experiments/results/h200/merge_sketches.csv`). For that the L1 would need # us only. Its `make_rows` "
     "takes # ms, and # with the other kernels. Of that, # remain where strips are only swept and all rows "
     "written, with memory at #% of its peak and the L2 at #%, and # with the other kernels",
     sketch("strips", "instructions"), l1_us("strips"), made_rows_ms("strips"), sketch("strips"),
     made_rows_ms("strips_swept_only"),
     *for_each(lambda unit: sketch("strips_swept_only", f"{unit}_percent_of_peak"), "memory", "l2"),
     lambda records: sketch("strips")(records) - beyond_sweeps_ms("uniform")(records)),
    ("would have to take # ms, or # if memory were at 89%; they take #, for",
     *for_each(lambda memory: left_beyond_sweeps_ms("uniform", memory), None, 89), beyond_sweeps_ms("uniform")),
    ("Of i^-0.5 they take #, where the target of # has room for # or #. That", beyond_sweeps_ms(ROOT_LAW),
     lambda _: CONSTRUCTION[ROOT_LAW][8],
     *for_each(lambda memory: left_beyond_sweeps_ms(ROOT_LAW, memory), None, 89)),
    ("it takes # to # times as long as the merge ([thesis_notes.md]",
     *(limit(*(quotient(sketch("strips", weights=weights), sketch("merge", weights=weights))
               for weights in (LAW, "powerlaw_1", "ramp"))) for limit in (least, most))),
    ("Without what goes from tile to tile its `make_rows` takes # ms, less than the # that are left, with # "
     "instructions an item; # where it only sweeps, with memory at #% of its peak",
     warp_tiles_ms("_no_exchange"), times(1e-3, left_us("uniform", 10**8)),
     warp_tiles("_no_exchange", "instructions"), warp_tiles_ms("_swept_only"),
     warp_tiles("_swept_only", "memory_percent_of_peak")),
    ("it is # ms, the sum of both, and # with the other kernels",
     warp_tiles_ms(), warp_tiles_built(MORE_WHOLE_TILES)),
    ("a few tiles have no room, it would be #. Tiles that lack mass take # times as long as the others",
     warp_tiles_ms("_twelve_warps"), quotient(warp_tiles_ms("_that_lack"), warp_tiles_ms("_with_excess"))),
    ("need nothing of each other, takes # ms, but with what is left 10^8 uniform items take # ms or more",
     shared_lists_launch("_sweeps"), shared_lists("_groups")),
    ("Of 10^8 items of a ramp `make_rows` takes # of # ms and `store_handed_on` #.",
     times(1e-3, kernel_us(RAMP, "make_rows")),
     lambda records: 1e-6 * sum(row["duration_ns"] for row in kernels_of(records, RAMP).values()),
     times(1e-3, kernel_us(RAMP, "store_handed_on"))),
    ("All four kernels move # bytes an item", moved_an_item(RAMP)),
    ("`make_rows` issues # instructions an item (L1 #% of its peak, L2 #%, issue #%)",
     an_item(RAMP, "warp_instructions", 32),
     *for_each(lambda field: of_kernel(RAMP, "make_rows", field),
               "l1_percent_of_peak", "l2_percent_of_peak", "issue_percent_of_peak")),
)
