#!/usr/bin/env python3
"""Counters of kernels (those of thesis 4.8.2 and 5.2.1, of the merge, the fast samplers and the
shuffles), by Nsight Compute: what they move, what they hit and what they wait for. Needs `ncu` and the
right to read the GPU's counters.
  experiments/counters.py --build <build folder> --out experiments/results/h200/counters.json
Each entry is one launch of one kernel in a series of an experiment, at the clocks that the GPU has by
itself and with the caches as they are; `--list` prints the commands. The time is that of a launch
under the profiler, which is not the experiment's."""

import argparse
import csv
import pathlib
import re
import shlex
import subprocess
import sys

import running
from record_format import text_of

# What it is called here -> the counter.
METRICS = {
    "duration_ns": "gpu__time_duration.sum",
    "memory_bytes_read": "dram__bytes_read.sum",
    "memory_bytes_written": "dram__bytes_write.sum",
    "memory_percent_of_peak": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_sectors_read": "lts__t_sectors_op_read.sum",
    "l2_sectors_written": "lts__t_sectors_op_write.sum",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "l2_percent_of_peak": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1_sectors_loaded": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_sectors_stored": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    "l1_percent_of_peak": "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "shared_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "sm_percent_of_peak": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "issue_percent_of_peak": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "warps_percent_of_peak": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "warp_instructions": "smsp__inst_executed.sum",
    # All cycles; and those in which a multiprocessor has a block, on average.
    "cycles": "sm__cycles_elapsed.max",
    "cycles_with_blocks": "sm__cycles_active.avg",
    # Cycles from one instruction of a warp to its next one; and of these those in which it could be
    # issued, but another warp's is, or waits. In one it is issued.
    "warp_cycles": "smsp__average_warp_latency_per_inst_issued.ratio",
    **{what: f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio" for what, reason in (
        ("stalled_by_memory", "long_scoreboard"), ("stalled_by_shared_memory", "short_scoreboard"),
        ("stalled_by_shared_memory_queue", "mio_throttle"), ("stalled_by_memory_queue", "lg_throttle"),
        ("stalled_by_barrier", "barrier"), ("stalled_by_fence", "membar"),
        ("stalled_by_latency", "wait"),  # for the fixed latency of the instruction before
        ("stalled_by_arithmetic_unit", "math_pipe_throttle"),
        ("stalled_by_instruction_fetch", "no_instruction"), ("stalled_by_branch", "branch_resolving"),
        ("stalled_by_constant", "imc_miss"), ("stalled_by_dispatch", "dispatch_stall"),
        ("stalled_by_end", "drain"), ("stalled_by_sleep", "sleeping"),
        ("not_chosen", "not_selected"))},
}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "nsecond": 1, "usecond": 1e3, "msecond": 1e6,
         "second": 1e9, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}

# Run once more for what it says of machine, build and commit.
CHEAPEST = "generators"
MERGE = ("sum_tiles", "finish_and_balance_tiles", "make_rows", "store_handed_on")
LANES = ("sum_tiles", "finish_and_balance_tiles", "make_rows", "make_remaining_rows")
BLOCKS = ("count_sections", "draw_sections_of_blocks", "order_blocks")
FAST = ("direct", "direct_packed_kept", "direct_short_kept", "sectioned", "sectioned_philox7")


def own_kernel(folder, kernel):
    """A regular expression for a kernel whose name other folders have, too."""
    return f"{folder}::([^,<]*::|<unnamed>::)?{kernel}<"


def series():
    """(experiment, series, regular expressions for the names of its kernels)"""
    # 655,360 splits of 5*10^7 items are nearly as many as the thesis's 580,000.
    for items, split_counts in ((10**7, (81920, 163840, 327680, 655360)), (5 * 10**7, (655360,))):
        for method in ("baseline", "partial_p_ary"):
            for splits in split_counts:
                yield "split_methods", f"split/{method}/uniform/{items}/{splits}", \
                    (own_kernel("split", method),)
    # Few splits (thesis 3.1.3), and of other weights (5.2.4).
    for method, kernel in (("baseline", "baseline"), ("inverse", "inverse"),
                           ("parallel_inverse", "inverse")):
        yield "split_methods", f"split/{method}/uniform/10000000/1024", (own_kernel("split", kernel),)
    for method in ("baseline", "partial_p_ary"):
        for splits in (327680, 655360):
            yield "split_methods", f"split/{method}/powerlaw_1_shuffled/10000000/{splits}", \
                (own_kernel("split", method),)
    # The packs of whose order the papers say something (thesis 4.5 and 5.2.2).
    for experiment, kernel, packs in (
            ("pack_methods", own_kernel("pack", "baseline"), ("baseline", "baseline_branched")),
            ("pack_methods", "pack::shared_memory",
             ("shared_memory", "shared_memory_branched", "shared_memory_masses")),
            ("pack_methods", own_kernel("pack", "chunked"),
             ("chunked_masses", "chunked_async_masses")),
            ("uncompetitive_packs", "pack_sections",
             ("sweeping", "sweeping_shared_loop", "prefilled", "precomputed_weights")),
            ("uncompetitive_packs", own_kernel("pack", "baseline"),
             ("reordered_round_robin", "reordered_random"))):
        for pack in packs:
            yield experiment, f"construct/partial_p_ary_{pack}/uniform/10000000", (kernel,)
    # The other end of the sections' lengths: 1,400 splits, as the thesis's program has.
    for experiment, kernel, packs in (
            ("pack_methods", own_kernel("pack", "baseline"),
             ("baseline", "baseline_masses", "baseline_branched", "baseline_branched_masses")),
            ("uncompetitive_packs", "pack_sections",
             ("sweeping", "sweeping_shared_loop", "prefilled", "precomputed_weights"))):
        for pack in packs:
            yield experiment, f"pack/partial_p_ary_{pack}/uniform/10000000/rows:7143", (kernel,)
    for distribution, packs in (
            ("powerlaw_1_shuffled", (("baseline", own_kernel("pack", "baseline")),
                                     ("prefilled", "pack_sections"),
                                     ("reordered_round_robin", own_kernel("pack", "baseline")),
                                     ("reordered_random", own_kernel("pack", "baseline")))),
            # The weights that a table in shared memory packs.
            ("heavy_fraction_0", (("baseline", own_kernel("pack", "baseline")),
                                  ("table_in_shared_memory",
                                   own_kernel("pack", "table_in_shared_memory"))))):
        for pack, kernel in packs:
            yield ("uncompetitive_packs", f"construct/partial_p_ary_{pack}/{distribution}/10000000",
                   (kernel,))
    for stores in ("stores_128", "stores_64"):
        yield "optimizations", f"construct/{stores}/uniform/50000000", ("pack::shared_memory",)
    for sampler in ("baseline", "baseline_xorwow", "cached", "shared_memory",
                    "shared_memory_xorwow"):
        yield ("sampling", f"sample/{sampler}_no_output/powerlaw_1_shuffled/1000000/1000000000",
               ("draw_",))
    for sampler in ("baseline", "cached"):
        for bits in (128, 64):
            yield ("row_loads", f"sample/{sampler}_xorwow_loads_{bits}_no_output/"
                   "powerlaw_1_shuffled/1000000/1000000000", ("draw_",))
    for seeding in ("subsequence", "pkpt_sha1"):
        yield ("seeding", f"sample/baseline_xorwow_{seeding}_no_output/uniform/1000000/1000000000",
               ("draw_",))
    for distribution in ("uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled", "powerlaw_1"):
        for n in (10**6, 10**7, 10**8, 10**9):
            yield "beyond_construction", f"construct/merged/{distribution}/{n}", MERGE
    yield "beyond_construction", f"construct/merged/ramp/{10**8}", MERGE
    for distribution in ("uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled"):
        for n in (10**7, 10**8):
            yield "beyond_construction", f"construct/swept/{distribution}/{n}", LANES
    for sampler in ("direct_philox7", "small_table_philox7"):
        yield "beyond_sampling", f"sample/{sampler}/powerlaw_1_shuffled/10000/{10**9}", ("draw_",)
    for n in (10**6, 10**7, 10**8):
        for sampler in FAST:
            yield "beyond_sampling", f"sample/{sampler}/powerlaw_1_shuffled/{n}/{10**9}", ("draw_",)
    yield "beyond_sampling", f"sample/direct/powerlaw_1_shuffled/{10**9}/{10**9}", ("draw_",)
    yield "beyond_sampling", f"sample/direct_sectioned/powerlaw_1_shuffled/{10**8}/{10**9}", BLOCKS
    for sampler in ("direct", "direct_packed_kept", "direct_short_kept"):  # a small draw
        yield "beyond_sampling", f"sample/{sampler}/powerlaw_1_shuffled/{10**7}/{10**6}", ("draw_",)
    for n in (2**24, 2**29 + 1):
        for method, kernel in (("gather", "RandomPlaces"), ("cycle_walk", "CycleWalk"),
                               ("bijective2_varphilox", "compact_and_gather"),
                               ("thrust_shuffle_copy", "DeviceScanKernel")):
            yield "shuffle_methods", f"shuffle/{method}/{n}", (kernel,)


def program(build, experiment, name):
    """The experiment, with arguments that leave it this series."""
    command = [build / "experiments" / experiment, f"--benchmark_filter=^{name}(/|$)",
               "--benchmark_min_time=0.0001", "--benchmark_repetitions=1"]
    parts = name.split("/")
    if experiment == "shuffle_methods":
        command.append(f"--sizes={parts[2]}")
    else:
        command += [f"--distributions={parts[2]}", f"--sizes={parts[3]}"]
    if experiment in ("sampling", "row_loads", "beyond_sampling", "seeding"):
        command.append(f"--samples={parts[4]}")
    return list(map(str, command))


def command(build, experiment, name, kernels):
    # The draw that is tested comes first. One in blocks launches a kernel several times.
    launches = (4 if kernels is BLOCKS else 2) * len(kernels)
    return ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--launch-count",
            str(launches), "--kernel-name-base", "demangled", "--kernel-name",
            f"regex:{'|'.join(kernels)}", "--metrics", ",".join(METRICS.values()),
            *program(build, experiment, name)]


def counted(output, kernels):
    """The last launch of each kernel: {kernel: {what: value}}. Raises ValueError for counters that
    are missing, and for one of `kernels` that is found nowhere. (ncu prints names without most of
    their namespaces, but chooses kernels by whole ones.)"""
    wanted = {metric: what for what, metric in METRICS.items()}
    launches = {}
    names = set()
    for row in csv.DictReader(line for line in output.splitlines() if line.startswith('"')):
        names.add(row["Kernel Name"])
        kernel = re.search(r"(\w+)(<.*>)?\(", row["Kernel Name"]).group(1)
        value = float(row["Metric Value"].replace(",", "")) * UNITS.get(row["Metric Unit"], 1)
        launch = launches.setdefault((int(row["ID"]), kernel), {})
        launch[wanted[row["Metric Name"]]] = int(value) if value.is_integer() else value
    for part in kernels:
        if not any(re.findall(r"\w+", part)[-1] in name for name in names):
            raise ValueError(f"there is no kernel {part}")
    for (_, kernel), values in launches.items():
        if missing := METRICS.keys() - values.keys():
            raise ValueError(f"{kernel} has no {', '.join(sorted(missing))}")
    return {kernel: values for (_, kernel), values in sorted(launches.items())}


def regular_expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="", type=regular_expression,
                        help="regular expression for the series; the record has only these then")
    parser.add_argument("--list", action="store_true", help="print the commands only")
    options = parser.parse_args()
    if not options.list and options.out is None:
        parser.error("one of --out and --list is needed")
    chosen = [entry for entry in series() if re.search(options.only, entry[1])]
    if not chosen:
        parser.error("no series' name matches --only")
    if not options.list:
        running.require(parser, options.build, sorted({entry[0] for entry in chosen} | {CHEAPEST}),
                        options.out)
    counters = []
    for experiment, name, kernels in chosen:
        call = command(options.build, experiment, name, kernels)
        if options.list:
            print(shlex.join(call))
            continue
        try:
            run = subprocess.run(call, capture_output=True, text=True)
        except FileNotFoundError:
            sys.exit("counters.py: there is no ncu here; it comes with the CUDA toolkit")
        try:
            found = counted(run.stdout, kernels)
        except (ValueError, KeyError, AttributeError) as error:
            sys.exit(f"counters.py: no counters of {name}: {error}\n{run.stdout}{run.stderr}"
                     f"{shlex.join(call)}")
        for kernel, values in found.items():
            counters.append({"name": name, "kernel": kernel, **values})
            print(f"{name:<70} {kernel:<28} {values['duration_ns'] / 1e3:10.1f} us", flush=True)
    if not options.list:
        any_run = running.run(options.build / "experiments" / CHEAPEST,
                              ["--benchmark_filter=^generate/philox/",
                               "--benchmark_min_time=0.0001"])
        options.out.write_text(text_of({"context": any_run["context"], "counters": counters}))


if __name__ == "__main__":
    running.end_when_terminated()
    main()
