"""The experiments that scripts/reproduce.sh can run: for each its arguments in the quick mode, and
the seconds that it takes in both modes, from which the time that is left is estimated; those of the
quick mode are what it took on the host of an H200, with 16 threads. The full mode is that of the
records in results/."""

import dataclasses
import pathlib
import re
import sys

import counters

SCRIPTS = ("peers", "counters")
QUICK = ("--benchmark_repetitions=2", "--benchmark_min_time=0.004")
ONCE = "--benchmark_repetitions=1"  # where twice takes long
TWO_DISTRIBUTIONS = "--distributions=uniform,powerlaw_1_shuffled"
QUICK_SECONDS = 270  # at most, so that it ends within five minutes


@dataclasses.dataclass(frozen=True)
class Experiment:
    kind: str  # "gpu" or "cpu": where it runs, and the folder of its record
    name: str
    full_seconds: int
    quick_seconds: int | None = None  # None: in the full mode only
    quick: tuple = ()  # arguments, beside those of QUICK
    full: tuple = ()  # arguments, where the record has more, or less, than the experiment measures by itself
    suffix: str = ".json"  # of the record
    picture: str = ""  # of `illustrations`, which measures nothing and prints CSV
    example: tuple = ()  # the program of examples/ that writes the record, and its first argument
    needs: str = ""  # a program or Python module that not every machine has
    targets: tuple = ()  # what has to be built, if not the experiment itself

    @property
    def key(self):
        return f"{self.kind}/{self.name}"

    def seconds(self, mode):
        return self.full_seconds if mode == "full" else self.quick_seconds

    def build_targets(self):
        return self.targets or (self.name,)

    def arguments(self, mode):
        if mode == "full":
            return self.full
        return (*QUICK, *self.quick) if self.is_benchmark else self.quick

    @property
    def is_benchmark(self):
        return self.suffix == ".json" and self.name not in SCRIPTS


def only(first, *methods, on_all_threads=()):
    """These methods of an experiment of the CPU, without the variants of their families, on one thread
    and two, as the figures show; and others on all threads of the machine as well."""
    few = f"({'|'.join(map(re.escape, methods))})_[12]t"
    many = "".join(f"|{re.escape(method)}_[0-9]+t" for method in on_all_threads)
    return f"--benchmark_filter=^{first}/({few}{many})/"


def powers(*exponents):
    """2^k and 2^k + 1, as the shuffles are measured."""
    return "--sizes=" + ",".join(str(2**k + more) for k in exponents for more in (0, 1))


UP_TO_10_7 = "--sizes=1e6,1e7"
CPU = (
    Experiment("cpu", "generate_weights", 60, 1, ("--sizes=1e6",)),
    Experiment("cpu", "cpu_construction", 1650, 28, (
        UP_TO_10_7, ONCE, TWO_DISTRIBUTIONS,
        only("construct", "copy_floor", "std_discrete_distribution", "boost_discrete_distribution",
             "vose", "sweep", "psa_sequential", "psa_plus", "sectioned_sweep",
             "sectioned_sweep_fixed_compact", on_all_threads=("psa",))),
               # Of the other distributions what the exact table is judged by.
               full=("--benchmark_filter=/(uniform|powerlaw_(1|1_shuffled|0[.]5_shuffled))/"
                     "|/(copy_floor|sectioned_sweep(_arrays|_fixed_compact)?|sweep(_arrays)?)_[0-9]+t"
                     "/[^/]+/10000000(/|$)|/(psa|psa_plus|vose)_[0-9]+t/ramp/10000000(/|$)",)),
    # Of fewer samples than these much of the time is the start of many threads.
    Experiment("cpu", "cpu_sampling", 900, 24, (
        "--samples=1e7", "--distributions=powerlaw_1_shuffled",
        only("sample", "gather_floor", "std_discrete_distribution",
             "boost_discrete_distribution_mt19937", "direct", "batched_fixed_compact",
             "scan_binary", "cutpoint", on_all_threads=("batched",)))),
    Experiment("cpu", "cpu_low_discrepancy", 100),
    Experiment("cpu", "cpu_segmented", 300),
    Experiment("cpu", "cpu_sharded", 60),
    Experiment("cpu", "cpu_without_replacement", 200),
    # Of the largest size only what Table 3 of the shuffling paper is judged by.
    Experiment("cpu", "cpu_shuffle_methods", 3600, 18, (
        ONCE, powers(8, 14, 20) + f",{2**26 + 1}",
        "--benchmark_filter=^shuffle/([a-z_]+_[0-9]+t/[0-9]{3,7}"
        f"|(gather|bijective_varphilox|rao_sandelius)_[0-9]+t/{2**26 + 1})/"),
               full=(powers(8, 11, 14, 17, 20, 23, 26, 29),)),  # the largest takes 12 GB
    Experiment("cpu", "verify_shuffles", 110, 1, ("--items=5,8,17,32,65,128,257",), suffix=".csv"),
    # At the numbers of samples of which the thesis (4.9) gives p-values.
    Experiment("cpu", "verify_sampling", 8, full=("--samples=10000,100000,1000000", "--distribution=uniform",
                                                  "--items=100000"), suffix=".csv"),
    Experiment("cpu", "figure_1_1", 1, 1, suffix=".csv", picture="distributions",
               targets=("illustrations",)),
    Experiment("cpu", "figure_1_2", 1, 1, suffix=".csv", picture="points",
               targets=("illustrations",)),
    Experiment("cpu", "figure_2_1", 1, 1, suffix=".csv", picture="table",
               targets=("illustrations",)),
    Experiment("cpu", "image_based_lighting", 25, 2, suffix=".csv",
               example=("image_based_lighting_on_cpu", "errors"),
               targets=("image_based_lighting_on_cpu",)),
    Experiment("cpu", "image_based_lighting_pictures", 8, 1, suffix=".ppm",
               example=("image_based_lighting_on_cpu", "pictures"),
               targets=("image_based_lighting_on_cpu",)),
)
GPU = (
    Experiment("gpu", "construction", 300, 5, (
        UP_TO_10_7, "--distributions=uniform,powerlaw_0.5_shuffled,powerlaw_1_shuffled")),
    Experiment("gpu", "split_methods", 80, 22, (ONCE, TWO_DISTRIBUTIONS, "--benchmark_filter=-_p_over_")),
    Experiment("gpu", "partial_p_ary_search", 60, 13, (ONCE, "--sizes=1e7", "--benchmark_filter=-_p_over_")),
    # Of the rows per section, here and below, what the thesis has.
    Experiment("gpu", "pack_methods", 225, 17, (
        ONCE, "--sizes=1e7,2e7", "--rows=7143",
        "--benchmark_filter=^construct/|/partial_p_ary_baseline(_branched)?/.*/10000000/")),
    Experiment("gpu", "uncompetitive_packs", 80, 4, (
        "--rows=7143", "--benchmark_filter=^construct/|/partial_p_ary_(baseline|sweeping)/uniform/")),
    Experiment("gpu", "partition_methods", 30, 3, (UP_TO_10_7,)),
    Experiment("gpu", "psa_plus_profile", 25, 6),
    Experiment("gpu", "heavy_fraction", 50, 10, (ONCE, "--benchmark_filter=_(1|[1-9]0|99)_(random|leading)/")),
    Experiment("gpu", "segmented", 200),
    Experiment("gpu", "without_replacement", 100),
    Experiment("gpu", "resampling", 100),
    Experiment("gpu", "progress", 35, 3, ("--rows=7143",)),
    Experiment("gpu", "transfers", 150, 2, (UP_TO_10_7,)),
    Experiment("gpu", "struct_of_arrays", 50, 4, ("--sizes=1e7",)),
    Experiment("gpu", "optimizations", 95, 4, ("--sizes=1e7", "--benchmark_filter=^construct/")),
    Experiment("gpu", "tuning", 275, 6, (ONCE, "--methods=psa,psa_plus")),
    # Of the largest size, which the host takes a second to check, what the thesis's words are judged by.
    Experiment("gpu", "prefixsum", 40, 9, (
        ONCE, "--sizes=2^20,2^24,2^28",
        f"--benchmark_filter=/({2**20}|{2**24})/"
        f"|/(cub|work_efficient|work_efficient_in_place)/double/{2**28}/")),
    Experiment("gpu", "sampling", 125, 4, (UP_TO_10_7,)),
    Experiment("gpu", "samples_sweep", 90, 4, ("--samples=1e4,1e5,1e6,1e7,1e8,1e9",)),
    Experiment("gpu", "sampler_heatmap", 175, 10, ("--samples=1e4,1e5,1e6,1e7,1e8,1e9",)),
    Experiment("gpu", "grid_sizes", 30, 6),
    Experiment("gpu", "sampling_struct_of_arrays", 30, 1, ("--sizes=1e6,1e7",)),
    Experiment("gpu", "row_loads", 30, 1, ("--sizes=1e6",)),
    Experiment("gpu", "rejection", 45, 4, ("--sizes=1e6",)),
    Experiment("gpu", "low_discrepancy", 40),
    Experiment("gpu", "generators", 30, 2),
    Experiment("gpu", "seeding", 30, 2),
    Experiment("gpu", "section_size", 80, 5, ("--sizes=1e6", "--benchmark_filter=-_(no_preference|prefer_)")),
    # Each repetition fills two seconds, and so does the idle card before it.
    Experiment("gpu", "energy", 100, 17, (ONCE,)),
    # Tables of 10^9 items take a quarter of a minute each to check.
    Experiment("gpu", "beyond_construction", 900, 9, (
        "--sizes=1e4,1e6,1e7",
        "--distributions=uniform,powerlaw_0.5_shuffled,powerlaw_1_shuffled,powerlaw_1")),
    Experiment("gpu", "beyond_sampling", 320, 8, (
        "--sizes=1e4,1e6,1e7", "--samples=1e6,1e8,1e9", "--distributions=powerlaw_1_shuffled")),
    Experiment("gpu", "accuracy", 100, 1, ("--sizes=1e6",)),
    Experiment("gpu", "shuffle_methods", 135, 7, (powers(8, 11, 14, 17, 20, 23, 26, 29),)),
    Experiment("gpu", "shuffle_fusion", 40, 3, (powers(8, 11, 14, 17, 20, 23, 26, 29),)),
    Experiment("gpu", "peers", 50, needs="torch",
               targets=("beyond_construction", "beyond_sampling")),
    Experiment("gpu", "counters", 500, needs="ncu",
               targets=tuple(sorted({entry[0] for entry in counters.series()}
                                    | {counters.CHEAPEST}))),
)
EXPERIMENTS = {each.key: each for each in (*GPU, *CPU)}


def makers(experiment, build):
    """The files that make the record of `experiment`: its program, or its script and what that runs."""
    if experiment.name in SCRIPTS:
        return [script(experiment), *(build / "experiments" / name for name in experiment.targets)]
    return [pathlib.Path(program(experiment, build, "", "full")[0])]


def script(experiment):
    return pathlib.Path(__file__).resolve().parent / f"{experiment.name}.py"


def program(experiment, build, out, mode):
    """The command that writes the record of `experiment` to `out`, or prints it, a picture's."""
    if experiment.picture:
        return [str(build / "experiments" / "illustrations"), experiment.picture]
    if experiment.example:
        name, *first = experiment.example
        return [str(build / "examples" / name), *first, str(out)]
    if experiment.name in SCRIPTS:
        return [sys.executable, str(script(experiment)), f"--build={build}", f"--out={out}"]
    if experiment.suffix == ".csv":
        return [str(build / "verification" / "drivers" / experiment.name), f"--csv={out}",
                *experiment.arguments(mode)]
    return [str(build / "experiments" / experiment.name), f"--benchmark_out={out}",
            "--benchmark_out_format=json", *experiment.arguments(mode)]
