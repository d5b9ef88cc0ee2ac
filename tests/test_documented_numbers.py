#!/usr/bin/env python3
"""Compares tables in the documents with the records that they are from: the README's of the peers with
peers.json and cpu_peers.json, all numbers of its claims, their verdicts, and what makes them, with the claims and with
records; the times of the merge in docs/merge_construction.md with beyond_construction.json, what its units and
warps do with counters.json, and what its instructions take with merge_by_instruction.csv; what thesis_notes.md
says of the merge with its targets, with PSA, and with the CPU's other tables, and its rates and errors.

Usage: test_documented_numbers.py <root of the tree>
"""

import json
import pathlib
import re
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from claim_model import evaluate
from claim_sources import figures, sources_of
from claim_terms import (UNIFORM, counter, faster, milestones, pack, quotient, rate, sample, split, table,
                         time)
from claims_of_papers import CLAIMS as ALL_CLAIMS
from claims_of_papers import CONSTRUCTION, ratios_to_psa
from claims_of_shuffling import rounds_that_pass_in_record
from claims_of_thesis_evaluation import SHARED, SPLITS
from faults import report
from ratio_terms import LAW, busy_us, left_us, merge_kernels, one_number, us_without_waiting, with_blocks
from ratios import exact_against_floating
from records import Records

PEERS = ("torch_multinomial", "torch_search", "cupy_choice", "wrsgpu", "wrsgpu_sectioned")
SPLITS_OF_FEW = 10240


class Says(typing.NamedTuple):
    """What a row of the README says: where and what the claim is, whose numbers come first in the cells; and,
    as Records -> number, those that follow."""
    place: str
    what: str
    published: tuple = ()
    ours: tuple = ()
    verdict: tuple = ()
    as_published: object = lambda value: (value,)  # what the cell has for the published number


def splits_against_baseline(records):
    """Number of splits -> how many times as fast as the baseline split the partial p-ary one is."""
    return {s: faster("gpu/split_methods", split("baseline", s), split("partial_p_ary", s))(records)
            for s in SPLITS}


def splits_of_largest(records):
    found = splits_against_baseline(records)
    return max(found, key=found.get)


def largest_of_few_splits(records):
    return max(ratio for splits, ratio in splits_against_baseline(records).items() if splits <= SPLITS_OF_FEW)


CLAIMS = {
    "partial p-ary split against the baseline split": Says(
        "thesis 5.2.1", "partial p-ary split against the baseline, largest",
        ours=(splits_of_largest, largest_of_few_splits, lambda _: SPLITS_OF_FEW)),
    "PSA+ against PSA, uniform weights": Says(
        "thesis 5.2.3", "PSA+ against PSA, chunked, uniform",
        ours=(faster("gpu/construction", f"construct/{SHARED}/{UNIFORM}",
                     f"construct/{SHARED}_psa_plus/{UNIFORM}"),)),
    "packed greedily by PSA+, uniform weights": Says("thesis 5.2.3", "packed greedily, uniform"),
    "128-bit stores, pack step": Says("thesis 4.8.2", "128-bit stores, pack step",
                                      as_published=lambda ratio: (100 * (ratio - 1),)),
    "construction, last version against the baseline (thesis)": Says(
        "thesis 5.2.5", "baseline (2_pointer_arithmetic) to chunked PSA+ (8_psa_plus)"),
    "construction, all improvements (report)": Says(
        "report 6.1", "baseline (3_cub_partition) to chunks (7_chunked)",
        verdict=(milestones("3_cub_partition", "6_masses_in_l_and_h"),)),
    "chunks in shared memory against whole sections": Says(
        "thesis 5.2.2", "chunks against shared memory, large N",
        as_published=lambda _: (),  # in words
        verdict=(quotient(counter(pack("chunked_masses"), "memory_bytes_read"),
                          counter(pack("shared_memory_masses"), "memory_bytes_read")),)),
    "construction, 10^8 items": Says(
        "thesis Table 5.2", "construction, N = 10^8",
        published=(lambda _: table("report_table_2", "tesla_v100", 10**8)(),),
        ours=(time("gpu/beyond_construction", f"construct/merge/{LAW}/{10**8}"),)),
    "sampling, 10^8 items": Says("report Table 3", "sampling, V100, N = 10^8",
                                 ours=(rate("gpu/beyond_sampling", sample("sectioned", 10**8)),)),
    "VariablePhilox needs 20 rounds, 24 recommended": Says(
        "shuffling 5", "rounds of VariablePhilox that pass chi-squared at 5% (145.5)",
        ours=(rounds_that_pass_in_record,)),
    "the bijective shuffle against the random gather, 2^29 + 1": Says(
        "shuffling Table 1", "VariablePhilox against the gather, V100, 2^29 + 1",
        ours=(faster("gpu/shuffle_methods", "shuffle/gather/536870913", "shuffle/cycle_walk/536870913"),)),
}


def is_rounded(text, value):
    """Whether `text` is `value`, rounded to as many digits as it has."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5001 * 10**-digits


def rows_of_table(text, title):
    """The cells of the rows of the table whose first line begins with this."""
    begin = text.find(f"\n{title}")
    if begin < 0:
        raise ValueError(f"there is no table that begins with '{title}'")
    lines = text[begin:].strip().partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]


def numbers_in(cell):
    """Without those in parentheses and in names, of GPUs."""
    return [found.replace(",", "") for found in re.findall(r"(?<!\w)\d[\d,]*\b(?:\.\d+)?",
                                                          re.sub(r"\([^)]*\)", "", cell))]


def number(power):
    return 10 ** int(power.removeprefix("10^"))


def faults_of_peers(readme, root):
    record = json.loads((root / "experiments/results/h200/peers.json").read_text())["peers"]
    found = {row["name"]: row["construct"] + row["draw"] for row in record if "draw" in row}
    for items, samples, *cells in rows_of_table(readme, "| items | samples |")[1:]:
        for peer, cell in zip(PEERS, cells, strict=True):
            name = f"peers/{peer}/{LAW}/{number(items)}/{number(samples)}"
            if cell in ("refuses", "–"):
                if name in found:
                    yield f"{name} was measured, the README says {cell}"
            elif not is_rounded(cell, found.get(name, float("nan"))):
                yield f"{name} is {found.get(name)}, the README says {cell}"


SPEED = ("One H200 builds a table of 10^7 weights and draws 10^8 samples in # ms in random order, or in # ms grouped "
         "by item number; the fastest method of torch and cupy takes # ms")


def faults_of_speed(readme, root):
    """Of the README's first sentence with numbers."""
    said = re.findall(re.escape(SPEED).replace(re.escape("#"), r"([\d.]+)"), " ".join(readme.split()))
    if len(said) != 1:
        yield f"the README does not say once: {SPEED}"
        return
    record = json.loads((root / "experiments/results/h200/peers.json").read_text())["peers"]
    times = {row["name"].split("/")[1]: row["construct"] + row["draw"] for row in record
             if row["name"].endswith(f"/{LAW}/{10**7}/{10**8}")}
    others = min(time for name, time in times.items() if not name.startswith("wrsgpu"))
    for one_said, found in zip(said[0], (times["wrsgpu"], times["wrsgpu_sectioned"], others), strict=True):
        if not is_rounded(one_said, found):
            yield f"the README says {one_said} ms, the record has {found:.4g}"


CPU_PEERS = {"`numpy.random.Generator.choice`": "numpy_choice", "wrsgpu": "wrsgpu"}


def faults_of_cpu_peers(readme, root):
    path = root / "experiments/results/cpu/cpu_peers.json"
    if not path.is_file():
        yield f"{path.relative_to(root)} is not there: experiments/cpu_peers.py makes it"
        return
    found = {row["name"]: row["draw"] / 1000 for row in json.loads(path.read_text())["peers"]}
    rows = rows_of_table(readme, "| program | threads | time (s) |")[1:]
    said = {f"peers/{CPU_PEERS[program]}_{threads}t/words/12762/100000000": cell
            for program, threads, cell in rows}
    if said.keys() != found.keys():
        yield f"{path.name} has {sorted(found)}, the README {sorted(said)}"
        return
    for name, cell in said.items():
        if not re.fullmatch(r"[\d.]+", cell) or not is_rounded(cell, found[name]):
            yield f"{name} is {found[name]:.4g} s, the README says {cell}"


def faults_of_claims(readme, records, known):
    """`known`: the figures, by the records that they need."""
    results = {(each.claim.place, each.claim.what): each for each in evaluate(ALL_CLAIMS, records)}
    rows = rows_of_table(readme, "| claim |")[1:]
    if {row[0] for row in rows} != CLAIMS.keys():
        yield f"the table of claims has other rows: {CLAIMS.keys() ^ {row[0] for row in rows}}"
        return
    for what, published, ours, verdict, made_by in rows:
        says = CLAIMS[what]
        result = results[says.place, says.what]
        asked = records.afresh()
        for cell, first, more in ((published, says.as_published(result.published), says.published),
                                  (ours, (result.ours,), says.ours), (verdict, (), says.verdict)):
            values, said = (*first, *(value(asked) for value in more)), numbers_in(cell)
            if len(said) != len(values) or not all(map(is_rounded, said, values)):
                yield f"'{what}': {', '.join(f'{value:.4g}' for value in values)}, the README says {cell}"
        if not verdict.startswith(result.verdict):
            yield f"'{what}' is {result.verdict}, the README says {verdict}"
        sources = ", ".join(f"[{name}](plots/figures/{name}.png)" if name in known else f"`{name}`"
                            for name in sources_of(result, known, asked.asked))
        if made_by != sources:
            yield f"'{what}' is made by {sources}, the README says {made_by}"


def merge(weights, n):
    """The arguments of `Records` for a time of the merge."""
    return "gpu/beyond_construction", f"construct/merge/{weights}/{number(n)}"


def faults_of_merge(text, records):
    (_, *weights), *rows = rows_of_table(text, "| N | `uniform` |")
    for n, *cells in rows:
        for name, cell in zip(weights, cells, strict=True):
            row = merge(name.strip("`"), n)
            ms, percent = records.ms(*row), records.value(*row, "percent_of_floor")
            said = re.fullmatch(r"([\d.]+) \((\d+)%\)", cell).groups()
            if not (is_rounded(said[0], ms) and is_rounded(said[1], percent)):
                yield f"{name}, {n}: {ms:.4g} ms, {percent:.3g}%; said: {cell}"


def faults_of_table(text, title, rows_wanted, value_of):
    """`value_of(row's title, column's title)` against the cells. A dash stands for what is rounded to 0."""
    (_, *columns), *rows = rows_of_table(text, title)
    if missing := set(rows_wanted) - {what for what, *_ in rows}:
        yield f"the table '{title}' has no {', '.join(sorted(missing))}"
    for what, *cells in rows:
        for column, cell in zip(columns, cells, strict=True):
            value = value_of(what, column)
            if not is_rounded(cell.removesuffix("%").replace("–", "0.0"), value):
                yield f"{what}, {column}: {value:.4g}; said: {cell}"


def faults_of_units(text, records):
    def value_of(what, column):
        n, weights = what.split()
        of = weights.strip("`"), number(n)
        if column == "left":
            return left_us(*of)(records)
        if column == "takes":
            return merge_kernels(records, *of)["make_rows"]["duration_ns"] / 1000
        if column == "without waiting for memory":
            return us_without_waiting(*of, "memory")(records)
        return busy_us("issue" if column == "issuing" else column.lower(), *of)(records)

    missed = [f"10^{exponent} `{weights}`" for weights, targets in CONSTRUCTION.items()
              for exponent, target in targets.items() if records.ms(*merge(weights, f"10^{exponent}")) > target]
    yield from faults_of_table(text, "| | left | takes |", missed, value_of)


WAITS = {"others are issued (not selected)": "not_chosen",
         "memory (long scoreboard)": "stalled_by_memory",
         "shared memory (short scoreboard)": "stalled_by_shared_memory",
         "its last instruction, for a fixed time (wait)": "stalled_by_latency",
         "barriers (barrier)": "stalled_by_barrier",
         "an arithmetic unit (math pipe throttle)": "stalled_by_arithmetic_unit",
         "its next instruction, not yet fetched (no instruction)": "stalled_by_instruction_fetch"}


def faults_of_cycles(text, records):
    def value_of(what, column):
        n, weights = column.split()
        items = number(n)
        rows = merge_kernels(records, weights.strip("`"), items)["make_rows"]
        if what in WAITS:
            return rows[WAITS[what]]
        return {"it is issued (selected)": 1, "together": rows["warp_cycles"],
                "all else": sum(value for field, value in rows.items()
                                if field.startswith("stalled_by_") and field not in WAITS.values()),
                "warp instructions for 32 items": rows["warp_instructions"] * 32 / items,
                "percent of the warps resident": rows["warps_percent_of_peak"],
                "percent of the cycles without any block": 100 * (1 - with_blocks(rows))}[what]

    yield from faults_of_table(text, "| | 10^7 `uniform` |", WAITS, value_of)


def faults_of_instructions(text, records):
    waits = ("percent_waiting_for_memory", "percent_at_barriers", "percent_waiting_for_shared_memory")
    columns = {"instructions an item": ("instructions",), "of its warps' time": ("percent_of_time",),
               "of it, waiting": waits, "wavefronts for 32 items": ("shared_wavefronts",)}
    steps = {row["what"] for row in records.table("gpu/merge_by_instruction")}
    yield from faults_of_table(
        text, "| What a block does |", steps,
        lambda what, column: sum(one_number(records, "gpu/merge_by_instruction", summand,
                                            distribution="uniform", items=10**8, what=what)
                                 for summand in columns[column]))


def faults_of_targets(text, records):
    for n, *cells in rows_of_table(text, "| | uniform | i^-0.5 shuffled |")[1:]:
        for (name, targets), cell in zip(CONSTRUCTION.items(), cells, strict=True):
            target, said = re.fullmatch(r"([\d.]+): (met|[\d.]+)( times as long)?", cell).groups()[:2]
            wanted = targets[int(n.removeprefix("10^"))]
            ratio = records.ms(*merge(name, n)) / wanted
            if float(target) != wanted:
                yield f"{name}, {n}: the target is {wanted} ms; said: {target}"
            if (ratio > 1) == (said == "met") or said != "met" and not is_rounded(said, ratio):
                yield f"{name}, {n}: {ratio:.4g} times the target; said: {said}"


# What the columns of the notes' table of rates are: sampler and samples.
RATES = (("sectioned_philox7", 10**9), ("sectioned_philox7", 10**10), ("sectioned", 10**10),
         ("direct", 10**9), ("direct_packed_kept", 10**9), ("direct_short_kept", 10**9),
         ("direct_sectioned", 10**9))


def faults_of_rates(text, records):
    for n, *cells in rows_of_table(text, "| N | by sections, 7, 10^9 samples |")[1:]:
        for (sampler, samples), cell in zip(RATES, cells, strict=True):
            if cell == "–":  # not measured
                continue
            name = f"sample/{sampler}/{LAW}/{number(n)}/{samples}"
            found = records.rate("gpu/beyond_sampling", name)
            if not is_rounded(cell.replace(",", ""), found):
                yield f"{name} has {found:.5g} GSamples/s; said: {cell}"


# What the notes' table of errors calls the methods, and what its columns are.
ERRORS = {"Vose, double": "vose", "sweep, double": "sweep",
          "PSA on the GPU, double": "partial_p_ary_shared_memory_masses",
          "PSA+ on the GPU, double": "partial_p_ary_shared_memory_masses_psa_plus",
          "merge on the GPU, fixed point": "gpu_merge_fixed_compact"}
ERROR_COLUMNS = tuple((weights, field) for weights in ("uniform", "powerlaw_1_shuffled", "powerlaw_1")
                      for field in ("worst_error_in_buckets", "worst_relative_error"))


def faults_of_errors(text, records):
    for what, *cells in rows_of_table(text, "| Construction | uniform |")[1:]:
        for (weights, field), cell in zip(ERROR_COLUMNS, cells, strict=True):
            name = f"accuracy/{ERRORS[what]}/{weights}/{10**8}"
            found = records.value("gpu/accuracy", name, field)
            if f"{found:.1e}" != f"{float(cell.replace('·10^', 'e')):.1e}":
                yield f"{name}: {field} is {found:.3g}; said: {cell}"


def faults_of_psa(text, records):
    """Of how many times as fast as the best PSA the merge is, from least to most, from float and, up to 10^8
    items, from double weights, and of which."""
    text, span = " ".join(text.split()), r"([\d.]+) to ([\d.]+)"
    ratios = {method: ratios_to_psa(records, method)
              for method in ("merge", "merge_wide", "merge_double", "merge_wide_double")}
    for method, of_method in ratios.items():
        most = 8 if method.endswith("_double") else 9
        if len({family for family, _ in of_method}) != 10 or len(of_method) != 10 * (most - 2) or \
                {int(n) for _, n in of_method} != {10**e for e in range(3, most + 1)}:
            yield f"{method} against PSA: not of ten families with 10^3 to 10^{most} items each"
    said = re.search("Of ten families of float weights with 10.3 to 10.9 items none does: "
                     f"it is {span} times as fast with rows of 8 bytes, {span} with rows of 16 bytes; "
                     rf"of double weights, with 10.3 to 10.8 items, {span} and {span} \(", text).groups()
    found = [limit(each.values()) for each in ratios.values() for limit in (min, max)]
    for one_said, one_found in zip(said, found, strict=True):
        if not is_rounded(one_said, one_found):
            yield f"merge against PSA: {one_found:.4g}; said: {one_said}"


def faults_of_cpu(text, records):
    """Of how many times as long as the best floating-point table the exact one takes on the CPU."""
    said = re.search(r"exact table takes ([\d.]+) to ([\d.]+) times as long", " ".join(text.split())).groups()
    times = exact_against_floating(records.rows("cpu/cpu_construction")).values()
    ratios = [exact / best for exact, _, best in times]
    for one_said, one_found in zip(said, (min(ratios), max(ratios)), strict=True):
        if not is_rounded(one_said, one_found):
            yield f"the exact table against floating-point ones: {one_found:.4g}; said: {one_said}"


def faults_of_one_thread(text, root):
    """The same with one thread, in two records: families where it is more than 1.1 in one of them."""
    paragraph = re.search(r"With one thread, against the best of one.*? With 10\^6", text, re.DOTALL)[0]
    said = {name: (first, second) for name, first, second in
            re.findall(r"`(\w+)`\s([\d.]+)[^()]*\(([\d.]+)\)", paragraph)}
    found = [{name: exact / best for name, (exact, _, best) in exact_against_floating(
        Records(root / "experiments" / "results", "h200", folder).rows("cpu/cpu_construction"), 1).items()}
        for folder in ("cpu", "cpu_zen4")]
    slower = {name for ratios in found for name, ratio in ratios.items() if ratio > 1.1}
    if slower != said.keys():
        yield f"the exact table with one thread is slower on {sorted(slower)}; said: {sorted(said)}"
    for name in slower & said.keys():
        for one_said, ratios in zip(said[name], found, strict=True):
            if not is_rounded(one_said, ratios[name]):
                yield f"the exact table with one thread, {name}: {ratios[name]:.4g}; said: {one_said}"


def main(root):
    readme, notes, merge_note = ((root / path).read_text() for path in (
        "README.md", "thesis_notes.md", "docs/merge_construction.md"))
    records = Records(root / "experiments" / "results", "h200", "cpu")
    faults = [*faults_of_peers(readme, root), *faults_of_speed(readme, root),
              *faults_of_cpu_peers(readme, root), *faults_of_claims(readme, records, figures(root)),
              *faults_of_merge(merge_note, records), *faults_of_units(merge_note, records),
              *faults_of_cycles(merge_note, records), *faults_of_instructions(merge_note, records),
              *faults_of_targets(notes, records),
              *faults_of_psa(notes, records), *faults_of_cpu(notes, records),
              *faults_of_one_thread(notes, root),
              *faults_of_rates(notes, records), *faults_of_errors(notes, records)]
    return report(faults)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
