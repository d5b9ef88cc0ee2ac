"""What the ratios and percentages of the documents are made of: functions from Records to numbers, or that
make such functions."""

import functools

from claim_terms import (CHUNKED, UNIFORM, counter, draw, faster, pack, quotient, rate, table, time,
                         value)
from claims_of_papers import CONSTRUCTION
from claims_of_shuffling import keys, keys_ratio, shuffles
from claims_of_thesis_evaluation import SHARED
from claims_of_thesis_methods import without_output
from claims_of_thesis_sampling import MULTIPROCESSORS
from counters import MERGE
from ratios import exact_against_floating
from records import Records, published_value

LAW = "powerlaw_1_shuffled"
RESIDENT_THREADS = MULTIPROCESSORS * 2048  # of compute capability 9.0
ROOT_LAW = "powerlaw_0.5_shuffled"
CPU, CPU_DRAWS = "cpu/cpu_construction", "cpu/cpu_sampling"


def percent(share):
    return lambda records: 100 * share(records)


def more(ratio):
    """By how many percent it is above 1."""
    return lambda records: 100 * (ratio(records) - 1)


def less(ratio):
    return lambda records: 100 * (1 - ratio(records))


def times(factor, of):
    return lambda records: factor * of(records)


def least(*of):
    return lambda records: min(each(records) for each in of)


def against(published, of):
    """How many times the published value this is."""
    return lambda records: of(records) / published()


def for_each(function, *over):
    return [function(each) for each in over]


# The CPU.
def cpu(method, weights=UNIFORM):
    return lambda records: records.ms(CPU, f"construct/{method}/{weights}")


def of_host(folder, quantity):
    """The quantity where `folder` has the CPU's records."""
    return lambda records: quantity(Records(records.folders["cpu"].parent, "h200", folder))


def swept_against_floating(limit):
    """The exact table by lanes, as a multiple of the best sweep's time."""
    return lambda records: limit(exact / best for exact, _, best
                                 in exact_against_floating(records.rows(CPU)).values())


def wide_exact_against_floating(weights):
    """The exact table with rows of 16 bytes against the best other one of 10^7 items, two threads."""
    return lambda records: (cpu("sectioned_sweep_fixed_2t", f"{weights}/10000000")(records)
                            / exact_against_floating(records.rows(CPU))[weights][2])


def cpu_draws(method, weights):
    return rate(CPU_DRAWS, f"sample/{method}_1t/{weights}/10000000/{{most}}")


def greedy(distribution):
    def share(records):
        return 100 * (1 - records.value(CPU, f"construct/psa_plus_1t/{distribution}/10000000",
                                        "extra_bytes_per_item") / 24)
    return share


# Splits.
def split_ms(method, splits, distribution="uniform"):
    return lambda records: records.ms("gpu/split_methods", f"split/{method}/{distribution}/10000000/{splits}")


def split_gain(splits):
    return quotient(split_ms("baseline", splits), split_ms("partial_p_ary", splits))


def split_slowdown(method, distribution="uniform"):
    return quotient(split_ms(method, 1024, distribution), split_ms("baseline", 1024, distribution))


def split_counted(method, splits, field, distribution="uniform"):
    return counter(f"split/{method}/{distribution}/10000000/{splits}", field)


def split_reads_by_weights(method, splits):
    return quotient(split_counted(method, splits, "memory_bytes_read"),
                    split_counted(method, splits, "memory_bytes_read", LAW))


def split_saves(distribution):
    name = f"construct/{{}}_shared_memory_masses/{distribution}/10000000"
    return less(faster("gpu/split_methods", name.format("partial_p_ary"), name.format("baseline")))


# Packs.
def slow_pack(method, weights=UNIFORM):
    """The whole construction, against that of the baseline, in the run of the slow packs."""
    name = f"construct/partial_p_ary_{{}}/{weights}"
    return faster("gpu/uncompetitive_packs", name.format(method), name.format("baseline"))


def pack_step_gain(before):
    return quotient(*for_each(lambda method: counter(pack(method), "duration_ns"),
                              before, "shared_memory_masses"))


def law_step(method, field="duration_ns"):
    """Of the pack's kernel for i^-1 shuffled, in proportion to the baseline's."""
    name = f"construct/partial_p_ary_{{}}/{LAW}/10000000"
    return quotient(counter(name.format(method), field), counter(name.format("baseline"), field))


def branches(method, items=10**7, key="gpu/pack_methods"):
    """How many times as fast reads after the branch are."""
    before, masses, _ = method.partition("_masses")
    return faster(key, pack(f"{before}_branched{masses}", items), pack(method, items))


def weights_in_lists(method):
    return faster("gpu/pack_methods", pack(method), pack(f"{method}_masses"))


def stored(bits, field):
    return counter(f"construct/stores_{bits}/uniform/50000000", field)


def pack_us(bits, distribution):
    return value("gpu/optimizations", f"construct/stores_{bits}/{distribution}/10000000", "pack_us")


def optimized(slow, fast, weights=UNIFORM):
    return faster("gpu/optimizations", f"construct/{slow}/{weights}", f"construct/{fast}/{weights}")


def arrays(method, distribution, items):
    name = f"construct/partial_p_ary_{method}{{}}/{distribution}/{items}"
    return more(faster("gpu/struct_of_arrays", name.format("_arrays"), name.format("")))


def all_arrays(limit, items):
    return limit(*(arrays(f"{method}_masses{plus}", distribution, items)
                   for method in ("baseline", "shared_memory", "chunked") for plus in ("", "_psa_plus")
                   for distribution in ("uniform", LAW)))


def psa_plus(method, distribution):
    name = f"construct/partial_p_ary_{method}_masses{{}}/{distribution}/10000000"
    return faster("gpu/psa_plus_profile", name.format(""), name.format("_psa_plus"))


def greedy_share(distribution):
    return value("gpu/psa_plus_profile", f"construct/{CHUNKED}_psa_plus/{distribution}/10000000",
                 "greedy_fraction", 100)


def profile_us(field, distribution, series=SHARED):
    return value("gpu/psa_plus_profile", f"construct/{series}/{distribution}/10000000", field)


def profiled_split_share(series, distribution):
    return lambda records: split_share(records.row("gpu/psa_plus_profile",
                                                   f"construct/{series}/{distribution}/10000000"))


def partition(slow, fast):
    return faster("gpu/partition_methods", f"partition/{slow}/{UNIFORM}", f"partition/{fast}/{UNIFORM}")


def tuned(series, distribution):
    name = f"tuning/{series}_{{}}/{distribution}/10000000"
    return faster("gpu/tuning", name.format("default"), name.format("best"))


def workers_of_best(records):
    """The numbers of packing threads that the searches end with."""
    return [row["pack_workers"] for name, row in records.rows("gpu/tuning").items()
            if name.split("/")[1].endswith("_best")]


def scan(slow):
    name = "prefixsum/{}/double/268435456"
    return faster("gpu/prefixsum", name.format(slow), name.format("cub"))


def kernels_of(records, name):
    """What was counted of each kernel of a series."""
    return {row["kernel"]: row for row in records.parts("gpu/counters").counters if row["name"] == name}


def of_kernel(name, kernel, field):
    return lambda records: kernels_of(records, name)[kernel][field]


def with_blocks(row):
    """The share of the cycles in which a multiprocessor has a block."""
    return row["cycles_with_blocks"] / row["cycles"]


def cycles_a_ns(row):
    return row["cycles"] / row["duration_ns"]


def at_peak_us(row, unit):
    """How long a unit of the device would need at its peak for what was counted."""
    of_cycles = with_blocks(row) if unit == "issue" else 1  # that percentage is of those with blocks
    return row[f"{unit}_percent_of_peak"] / 100 * of_cycles * row["duration_ns"] / 1000


def merge_kernels(records, weights, items):
    return kernels_of(records, f"construct/merged/{weights}/{items}")


def one_number(records, key, column, **wanted):
    """What the one row of a CSV has whose columns have these values."""
    row, = records.table(key, **{name: str(value) for name, value in wanted.items()})
    return float(row[column])


def sketch(form, column="milliseconds", weights="uniform", items=10**8):
    """Of a form of the merge, most of which are not in the tree."""
    return lambda records: one_number(records, "gpu/merge_sketches", column, form=form, distribution=weights,
                                      items=items)


def made_rows_ms(form, weights="uniform", items=10**8):
    return times(1e-3, sketch(form, "make_rows_microseconds", weights, items))


# Of forms that take whole tiles only, in place of 10^7 and 10^8 items.
WHOLE_TILES, MORE_WHOLE_TILES = 9_998_336, 99_999_744


def warp_tiles(form, column):
    """Of the forms with a warp for each tile."""
    return sketch("warp_tiles" + form, column, items=MORE_WHOLE_TILES)


def warp_tiles_built(items):
    return lambda records: records.ms("gpu/warp_tiles", f"construct/warp_tiles/uniform/{items}")


def warp_tiles_ms(form=""):
    return made_rows_ms("warp_tiles" + form, items=MORE_WHOLE_TILES)


def shared_lists(form="", weights="uniform", items=MORE_WHOLE_TILES):
    """Of the forms whose lanes take from common lists."""
    return sketch("shared_lists" + form, weights=weights, items=items)


def shared_lists_launch(form):
    """In ms, of the one launch that the form is named for."""
    return made_rows_ms("shared_lists" + form, items=MORE_WHOLE_TILES)


def busy_us(unit, weights, items):
    """How long a unit of the device would need at its peak for making rows."""
    return lambda records: at_peak_us(merge_kernels(records, weights, items)["make_rows"], unit)


def merge_others_us(weights, items):
    """What the kernels but the one that makes rows take."""
    return lambda records: sum(row["duration_ns"] for kernel, row in merge_kernels(records, weights, items).items()
                               if kernel != "make_rows") / 1000


def left_us(weights, items):
    """What the other kernels leave of the target for making rows."""
    def found(records):
        return 1000 * CONSTRUCTION[weights][len(str(items)) - 1] - merge_others_us(weights, items)(records)
    return found


def us_without_waiting(weights, items, *for_what):
    """What making rows would take if no warp waited for these and all else were as it is."""
    def found(records):
        rows = merge_kernels(records, weights, items)["make_rows"]
        waited = sum(rows[f"stalled_by_{what}"] for what in for_what) / rows["warp_cycles"]
        return (1 - with_blocks(rows) * waited) * rows["duration_ns"] / 1000
    return found


def l1_beyond_target(limit, *of):
    """By how many percent the L1's work is more than the target leaves."""
    return limit(*(more(quotient(busy_us("l1", *each), left_us(*each))) for each in of))


def merge_share(limit, *families):
    """Percent of the speed of a copy, from 10^8 items on."""
    return limit(*(value("gpu/beyond_construction", f"construct/merge/{family}/{items}", "percent_of_floor")
                   for family in families for items in (10**8, 10**9)))


def of_heavy_fraction(limit, of):
    """Over all fractions of heavy items, by PSA."""
    def found(records):
        rows = records.rows("gpu/heavy_fraction")
        return limit(of(row) for name, row in rows.items() if name.split("/")[1] == CHUNKED)
    return found


def split_share(row):
    return 100 * row["split_us"] / (1000 * row["ms"])


def spread(field):
    return lambda records: (of_heavy_fraction(max, lambda row: row[field])(records)
                            / of_heavy_fraction(min, lambda row: row[field])(records))


def authors_psa(_):
    return published_value("measured_peers", machine="cpu", method="psa_2t", distribution=LAW, items=10**7)


# Samplers.
GRIDS = "sample/baseline_xorwow_no_output/uniform/1000000/100000000"


def drawn_counted(sampler, exponent, field, samples=10**9):
    return counter(f"sample/{sampler}/{LAW}/{10**exponent}/{samples}", field)


def beyond(sampler, exponent, samples=10**9):
    return rate("gpu/beyond_sampling", f"sample/{sampler}/{LAW}/{10**exponent}/{samples}")


def small_draw_us(sampler, weights=LAW):
    """Of 10^6 samples of 10^7 rows."""
    return times(1e3, time("gpu/beyond_sampling", f"sample/{sampler}/{weights}/{10**7}/{10**6}"))


SMALL_DRAWS = ("direct", "direct_packed_kept", "direct_short_kept")


def draw_counted(sampler, of, samples=10**6):
    """Of what was counted of a draw from 10^7 rows, a small one where nothing is said."""
    def found(records):
        row, = kernels_of(records, f"sample/{sampler}/{LAW}/{10**7}/{samples}").values()
        return of(row)
    return found


def writing_floor(samples):
    """GSamples/s that could be written, as noted beside rates of sections."""
    name = f"sample/sectioned_philox7/{LAW}/{10**6}/{samples}"

    def floor(records):
        percent = records.value("gpu/beyond_sampling", name, "percent_of_floor")
        return 100 * records.rate("gpu/beyond_sampling", name) / percent
    return floor


def merge_kernels_us(weights):
    """Of 10^6 items, in their order."""
    return tuple(times(1e-3, of_kernel(f"construct/merged/{weights}/1000000", kernel, "duration_ns"))
                 for kernel in MERGE)


def instructions_a_sample(sampler):
    return times(32 / 10**9, drawn_counted(sampler, 6, "warp_instructions"))


def by_rows(first, second):
    return for_each(lambda exponent: quotient(draw(first, 10**exponent), draw(second, 10**exponent)), 6, 7, 8)


def loads(sampler, exponent):
    name = f"sample/{sampler}_xorwow_loads_{{}}_no_output/{LAW}/{10**exponent}/{10**9}"
    return faster("gpu/row_loads", name.format(64), name.format(128))


def hashed(hash_name):
    name = "sample/baseline_xorwow_{}_no_output/uniform/1000000/1000000000"
    return less(faster("gpu/seeding", name.format("subsequence"), name.format(f"pkpt_{hash_name}")))


def read_from_l2(less_of, of):
    return quotient(counter(without_output(less_of), "l2_sectors_read"),
                    counter(without_output(of), "l2_sectors_read"))


def generated(name):
    return rate("gpu/generators", f"generate/{name}/1000000000")


def theirs(method, items):
    return table("thesis_table_5_3", "thesis_a", items, method=method)


LIMITED, BASELINE = "gpu_cached_limited_sectioned", "gpu_baseline"


def compact_gain(exponent):
    return more(quotient(draw("shared_memory_compact", 10**exponent), draw("shared_memory", 10**exponent)))


# Shuffles.
def share_of_gather(method, items):
    return percent(shuffles(method, "gather", items))


def fusion_share(items):
    return percent(shuffles("bijective2_varphilox", "gather", items, "gpu/shuffle_fusion"))


FROM_2_26 = [2**k + more_keys for k in (26, 27, 28, 29) for more_keys in (0, 1)]


def fused(fast, slow, limit, sizes=FROM_2_26):
    return limit(*(shuffles(f"bijective{fast}_varphilox", f"bijective{slow}_varphilox", items,
                            "gpu/shuffle_fusion") for items in sizes))


def shuffle_rate(method, items=2**29 + 1, key="gpu/shuffle_methods"):
    return rate(key, f"shuffle/{method}/{items}")


def against_theirs(number, machine, their, our, items, key="gpu/shuffle_methods"):
    published = keys(number, machine, their, items)
    return lambda records: shuffle_rate(our, items, key)(records) * 1000 / published()


def chi_squared(method, limit=None, rounds=lambda _: True):
    def found(records):
        rows = records.table("cpu/verify_shuffles", figure="chi_squared_by_rounds", method=method)
        return (limit or max)(float(row["statistic"]) for row in rows
                              if not row["rounds"] or rounds(int(row["rounds"])))
    return found


def with_rounds(method, number):
    return chi_squared(method, rounds=lambda rounds: rounds == number)


def counted_shuffles(field):
    """The authors' against ours, of 2^29 + 1 keys."""
    return quotient(counter("shuffle/thrust_shuffle_copy/536870913", field),
                    counter("shuffle/bijective2_varphilox/536870913", field))


def varies(method, weights):
    name = f"construct/{method}/{weights}/10000000"
    return lambda records: records.row(CPU, name)["max"] / records.row(CPU, name)["min"]


V100 = functools.partial(against_theirs, 1, "v100_32gb", items=2**29 + 1)
XEON = functools.partial(against_theirs, 3, "xeon_e5", key="cpu/cpu_shuffle_methods")


def published_percent(*wanted):
    ratio = keys_ratio(*wanted)
    return lambda _: 100 * ratio()
