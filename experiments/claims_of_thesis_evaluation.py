"""The claims of the thesis's chapters 5 and 6, on whole constructions and samplers, and of its 4.2
on sequential ones."""

from claim_model import Claim, about, at_least, at_most, more_than_one, within
from claim_terms import (CHUNKED, HOSTS, NEWER, UNIFORM, build_cpu, build_gpu, counter, draw,
                         draw_cpu, faster, joules, milestones, most, pack, quotient, rate, split,
                         stated, table, thesis, times_faster, value)

SHARED = "partial_p_ary_shared_memory_masses"
# Rows of the notes that say again what others say.
MOTIVATION, REPORT_PSA_PLUS = ("thesis 1", "motivation"), ("report 6.1", "(PSA+)")
SPLITS = (*range(1024, 10241, 1024), *(10240 * 2**k for k in range(1, 7)))


def per_item(method):
    return lambda records: records.ms("gpu/uncompetitive_packs", pack(method)) * 1e6 / 1e7


THESIS_EVALUATION = (
    Claim("thesis 5.2.1", "partial p-ary split against the baseline, largest",
          thesis("speedup_over_baseline_split"),
          most(*(faster("gpu/split_methods", split("baseline", s), split("partial_p_ary", s))
                 for s in SPLITS)), about,
          note="at 327,680 splits, where the baseline reads 6 times as much from memory "
               "(counters.json); 1.7 at 81,920, 1.6 at 655,360, at most 1.16 up to 10,240",
          row="Figure 5.1", also=(("report 6.1", "Figure 2"),)),
    Claim("thesis 5.2.1", "partial p-ary split, construction with the baseline pack",
          times_faster(thesis("time_saved_of_construction"), saved=True),
          milestones("3_cub_partition", "4_partial_p_ary_split"), about,
          note="theirs with the shared memory pack, see the next line", row="Figure 5.1"),
    Claim("thesis 5.2.1", "partial p-ary split, construction with the shared memory pack",
          times_faster(thesis("time_saved_of_construction"), saved=True),
          faster("gpu/split_methods", f"construct/baseline_shared_memory_masses/{UNIFORM}",
                 f"construct/partial_p_ary_shared_memory_masses/{UNIFORM}"), about,
          note="up to 15% of the time there; here 53 of 578 us, and 3 and 4% for i^-0.5 and "
               "i^-1 shuffled", row="Figure 5.1"),
    Claim("thesis 5.2.2", "weights in the lists, shared memory pack",
          times_faster(thesis("speedup_over_shared_memory_pack")),
          milestones("5_shared_memory", "6_masses_in_l_and_h"), about,
          note="the pack step gets twice as fast, there as well as here; but split and partition "
               "take twice as long with weights there, while here sections stay as large, and the "
               "partition takes 1.4 times as long", row="Figure 5.2", also=(("thesis 3.2.3", ""),)),
    Claim("thesis 5.2.2", "weights in the lists, shared memory pack, pack step",
          thesis("speedup_of_pack_step"),
          quotient(counter(pack("shared_memory"), "duration_ns"),
                   counter(pack("shared_memory_masses"), "duration_ns")), about, row="Figure 5.2"),
    Claim("thesis 5.2.2", "weights in the lists, slowdown of the partition",
          thesis("slowdown_of_split_and_partition"),
          faster("gpu/partition_methods", f"partition/cub_masses/{UNIFORM}",
                 f"partition/cub/{UNIFORM}"), about,
          note="of split and partition there", row="Figure 5.2"),
    Claim("thesis 5.2.2", "shared memory pack, less read from the L2 than by the baseline",
          times_faster(thesis("l2_reads_saved"), saved=True),
          quotient(counter(pack("baseline"), "l2_sectors_read"),
                   counter(pack("shared_memory"), "l2_sectors_read")), about, row="Figure 5.2",
          also=(("thesis 3.2.2", ""),)),
    Claim("thesis 5.2.2", "chunks against shared memory, large N", stated(1),
          faster("gpu/pack_methods", pack("shared_memory_masses", "20000000"),
                 pack("chunked_masses", "20000000")), more_than_one,
          note="slightly faster, in words, by fewer splits; here splits take 7 to 10% of the time, "
               "and packing by chunks takes twice the instructions and 1.6 times the reads from "
               "memory (counters.json)", row="Figure 5.2", also=(("thesis 3.2.4", ""),)),
    Claim("thesis Table 5.1", "sweeping pack", table("thesis_table_5_1", "thesis_a",
                                                     method="sweeping_pack"),
          per_item("sweeping"), at_most, "ns an item", NEWER),
    Claim("thesis Table 5.1", "precomputed weights", table("thesis_table_5_1", "thesis_a",
                                                           method="precomputed_weights"),
          per_item("precomputed_weights"), at_most, "ns an item", NEWER),
    Claim("thesis Table 5.1", "reordered lists", table("thesis_table_5_1", "thesis_a",
                                                       method="reordered_lists"),
          per_item("reordered_round_robin"), at_most, "ns an item",
          note="the thesis does not say in which order; " + NEWER),
    Claim("thesis 5.2.3", "packed greedily, uniform", thesis("items_packed_greedily"),
          value("gpu/psa_plus_profile", f"construct/{CHUNKED}_psa_plus/{UNIFORM}",
                "greedy_fraction", 100), within(1.05), "%", row="Figure 5.3",
          also=(("thesis 3.3", ""), ("thesis 4.6", "pack while"), ("report 4.3", ""), REPORT_PSA_PLUS)),
    *(Claim("thesis 5.2.3", f"PSA+ against PSA, chunked, {distribution}",
            thesis("speedup_psa_plus_over_psa", machine="thesis_a", distribution=distribution),
            faster("gpu/psa_plus_profile", f"construct/{CHUNKED}/{distribution}/10000000",
                   f"construct/{CHUNKED}_psa_plus/{distribution}/10000000"), about,
            row="Figure 5.3", also=(REPORT_PSA_PLUS,))
      for distribution in ("uniform", "powerlaw_0.5_shuffled")),
    *(Claim("thesis 5.2.4", f"{name} split, read for uniform weights against i^-1, 327,680 splits",
            thesis("split_reads_uniform_against_powerlaw"),
            quotient(counter(split(method, 327680), "memory_bytes_read"),
                     counter(f"split/{method}/powerlaw_1_shuffled/10000000/327680",
                             "memory_bytes_read")), about,
            note="up to, there, of splits that are not named")
      for name, method in (("baseline", "baseline"), ("partial p-ary", "partial_p_ary"))),
    Claim("thesis 5.2.5", "baseline (2_pointer_arithmetic) to chunked PSA+ (8_psa_plus)",
          thesis("speedup_baseline_to_last_version"),
          milestones("2_pointer_arithmetic", "8_psa_plus"), about,
          note="the text does not name its versions, and its first one, from which it is 10 times "
               "to the baseline, has no equal here", row="Figure 5.5"),
    Claim("thesis 5.2.6", "construction on the GPU against PSA on the CPU, 10^7",
          thesis("speedup_construction", method="gpu_chunked"),
          quotient(build_cpu(), build_gpu(10**7)), at_least, note=HOSTS, row="Table 5.2", also=(MOTIVATION,)),
    Claim("thesis 6", "construction on the GPU against PSA on the CPU, 10^7",
          thesis("speedup_construction", place="Chapter 6"),
          quotient(build_cpu(), build_gpu(10**7)), at_least,
          note=HOSTS + "; 25 times sectioned_sweep, our fastest there", row="(construction)"),
    *(Claim("thesis Table 5.2", f"construction, N = {items:.0e}".replace("e+0", "0^"),
            table("thesis_table_5_2", "thesis_a", items), build_gpu(items), at_most, "ms", NEWER)
      for items in (10**7, 10**8)),
    Claim("thesis 5.2.6", "sending a finished table against building it", stated(1),
          faster("gpu/transfers", f"transfer/only_table_to_device/{UNIFORM}",
                 f"transfer/construction/{UNIFORM}"), more_than_one, row="Figure 5.6"),
    Claim("thesis 5.2.6", "construction with both transfers against the CPU", stated(1),
          lambda records: build_cpu(UNIFORM)(records)
          / records.ms("gpu/transfers", f"transfer/both/{UNIFORM}"), at_least, note=HOSTS, row="Figure 5.6"),
    Claim("thesis 5.2.7", "struct of arrays, slowdown of construction",
          times_faster(thesis("slowdown_of_struct_of_arrays")),
          faster("gpu/struct_of_arrays", f"construct/{SHARED}_arrays/{UNIFORM}",
                 f"construct/{SHARED}/{UNIFORM}"), about),
    Claim("thesis 5.3", "sectioned sampling, 10^7 rows, most", thesis(
              "sampling_throughput", method="sectioned samplers"),
          rate("gpu/samples_sweep", "sample/shared_memory/uniform/10000000/{most}"), at_least,
          "GSamples/s", NEWER, row="Figures 5.7", figure="thesis_figure_5_8"),
    Claim("thesis 5.3.1", "sampling on the GPU against the CPU, 10^6 rows",
          thesis("speedup_sampling", place="Section 5.3.1"),
          quotient(draw("cached_limited_xorwow", 10**6), draw_cpu(10**6)), at_least,
          note=HOSTS, row="Table 5.3", also=(MOTIVATION,)),
    *(Claim("thesis Table 5.3", f"sampling, N = 10^{exponent}",
            lambda items=10**exponent: table("thesis_table_5_3", "thesis_a", items)() / 1000,
            draw(sampler, 10**exponent), at_least, "GSamples/s", NEWER,
            also=(("thesis 6", "(sampling)"),) if exponent == 6 else ())
      for exponent, sampler in ((6, "cached_limited_xorwow"), (7, "cached_limited_xorwow"),
                                (8, "baseline_xorwow"))),
    Claim("thesis 5.3.2", "rejection sampling on the GPU",
          thesis("sampling_throughput", method="rejection"),
          rate("gpu/rejection", "sample/gpu_rejection_array/uniform/1000000/100000000"), at_least,
          "GSamples/s", NEWER),
    *(Claim("thesis 5.3.2", f"rejection sampling on the GPU, construction against an alias table, {words}",
            stated(1), faster("gpu/rejection", f"build/gpu_rejection_{method}/{UNIFORM}",
                              f"build/{SHARED}/{UNIFORM}"), about,
            note="as fast, in words")
      for words, method in (("array", "array"), ("binary search", "binary"))),
    Claim("thesis 5.3.3", "rows against arrays, sampling with aliases", stated(1),
          faster("gpu/sampling_struct_of_arrays",
                 "sample/baseline_struct_of_arrays_no_output/next_alias/10000000/1000000000",
                 "sample/baseline_wide_rows_no_output/next_alias/10000000/1000000000"),
          more_than_one, row="Figure 5.10"),
    Claim("thesis 5.3.3", "arrays against rows, sampling without aliases", stated(1),
          faster("gpu/sampling_struct_of_arrays",
                 "sample/baseline_wide_rows_no_output/no_alias/10000000/1000000000",
                 "sample/baseline_struct_of_arrays_no_output/no_alias/10000000/1000000000"),
          more_than_one, row="Figure 5.10"),
    Claim("thesis Table 5.4", "energy of construction",
          table("thesis_table_5_4", "thesis_a"),
          joules("construct_gpu_chunked/powerlaw_1_shuffled/100000000", "joules_above_idle"), at_most,
          "J/10^8", "both less what is taken when idle, theirs at the plug, ours as the card counts"),
    Claim("thesis Table 5.5", "energy of sampling", table("thesis_table_5_5", "thesis_a"),
          joules("sample_gpu_baseline/powerlaw_1_shuffled/100000000/1000000000", "joules_above_idle"),
          at_most, "J/GSample",
          "both less what is taken when idle, theirs at the plug, ours as the card counts; both by the "
          "baseline sampler, by sections 1.8 here"),
    Claim("thesis 4.2", "sweep against the next best sequential method", stated(1),
          lambda records: min(records.ms("cpu/cpu_construction", f"construct/{name}_1t/{UNIFORM}")
                              for name in ("vose", "psa_sequential"))
          / records.ms("cpu/cpu_construction", f"construct/sweep_1t/{UNIFORM}"), more_than_one,
          note="uniform weights; 1.86 for i^-1 in random order, where Vose is next; see "
               "thesis_notes.md, 4.2", row="(sweeping)"),
)
