#!/usr/bin/env python3
"""Prints the ratios that the CPU has to reach, from recorded runs of cpu_construction and
cpu_sampling. Ratios are between medians of one run, so they hold for other machines as well."""

import argparse
import pathlib
import sys

from records import RESULTS, benchmarks, read

TABLES = ("wide_rows", "struct_of_arrays", "compact_rows")
N = 10_000_000
EXACT = "sectioned_sweep_fixed_compact"
REQUIRED = ("uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled", "powerlaw_1")


def series(rows, first, suffix, rest, labels):
    """name of the method -> row, for <first>/<method><suffix>/<rest> with one of the labels."""
    found = {}
    for name, row in rows.items():
        parts = name.split("/")
        if parts[0] != first or "/".join(parts[2:]) != rest or row.get("label") not in labels:
            continue
        if parts[1].endswith(suffix):
            found[parts[1].removesuffix(suffix)] = row
    return found


class Report:
    def __init__(self):
        self.failed = False

    def line(self, what, value, relation, target, detail):
        ok = value is not None and (value <= target if relation == "<=" else value >= target)
        self.failed |= not ok
        shown = "not measured" if value is None else f"{value:.2f}"
        print(f"{'ok    ' if ok else 'MISSED'}  {what:<80} {shown:>12} {relation} {target:<4} {detail}")


def construction(rows, report):
    goals = (("uniform", 1, 6), ("uniform", 2, 6), ("powerlaw_1_shuffled", 2, 3.5))
    for distribution, threads, target in goals:
        rest, suffix = f"{distribution}/{N}", f"_{threads}t"
        floor = rows.get(f"construct/copy_floor{suffix}/{rest}")
        tables = series(rows, "construct", suffix, rest, ("wide_rows",))
        if threads > 1:  # methods of one thread are measured as such, and may be the best
            tables |= {
                name: row
                for name, row in series(rows, "construct", "_1t", rest, ("wide_rows",)).items()
                if name not in tables
            }
        what = f"construction / copy floor, {rest}, {threads} thread(s)"
        memory = f"extra bytes an item of that construction, {rest}, {threads} thread(s)"
        if not floor or not tables:
            report.line(what, None, "<=", target, "")
            report.line(memory, None, "<=", 8, "")
            continue
        best = min(tables, key=lambda name: tables[name]["ms"])
        row = tables[best]
        report.line(what, row["ms"] / floor["ms"], "<=", target,
                    f"{best}: {row['ms']:.1f} ms")
        extra = row.get("extra_bytes_per_item")  # thread stacks and pages are some 0.05
        report.line(memory, extra and round(extra, 1), "<=", 8, best)


def exact_against_floating(rows, threads=2):
    """The twin of AliasTableMergeGpu against all floating-point constructions, of one thread or of as many:
    {distribution: (its milliseconds, the best of the others, that one's)}."""
    found = {}
    for name, row in rows.items():
        _, method, distribution, *size = name.split("/")
        if method != f"{EXACT}_{threads}t" or size != [str(N)]:
            continue
        rest = f"{distribution}/{N}"
        tables = {**series(rows, "construct", "_1t", rest, TABLES),
                  **series(rows, "construct", f"_{threads}t", rest, TABLES)}
        floating = {other: its["ms"] for other, its in tables.items() if "_fixed" not in other}
        if floating:
            best = min(floating, key=floating.get)
            found[distribution] = (row["ms"], best, floating[best])
    return found


def exact_construction(rows, report):
    found = exact_against_floating(rows)
    floor = rows.get(f"construct/copy_floor_2t/uniform/{N}")
    uniform, *_ = found.get("uniform", (None,))
    report.line(f"exact compact rows / copy floor, uniform/{N}, 2 threads",
                floor and uniform and uniform / floor["ms"], "<=", 6,
                uniform and f"{EXACT}: {uniform:.1f} ms")
    for distribution in dict.fromkeys((*REQUIRED, *found)):
        exact, best, ms = found.get(distribution, (None, "", 1))
        report.line(f"exact compact rows / best floating-point table, {distribution}/{N}, 2 threads",
                    exact and exact / ms, "<=", 1.1, best and f"{best}: {ms:.1f} ms")


def sampling(rows, report):
    cells = {tuple(name.split("/")[2:]) for name in rows if name.startswith("sample/")}
    cells = sorted(cell for cell in cells if cell[1] == str(N))
    if not any("/".join(("sample", "boost_discrete_distribution_1t", *cell)) in rows
               for cell in cells):
        report.line(f"samples/s, best / Boost, N = {N}", None, ">=", 8, "")
        return
    for cell in cells:
        rest = "/".join(cell)
        boost = rows.get(f"sample/boost_discrete_distribution_1t/{rest}")
        one = series(rows, "sample", "_1t", rest, TABLES)
        two = series(rows, "sample", "_2t", rest, TABLES)
        if not boost or not one:
            continue
        best = max(one, key=lambda name: one[name]["items_per_second"])
        speed = one[best]["items_per_second"]
        report.line(f"samples/s, best / Boost, {rest}, 1 thread",
                    speed / boost["items_per_second"], ">=", 8, f"{best}: {speed / 1e6:.0f} M/s")
        # The generator that a user of Boost has is faster than Philox word by word.
        usual = rows.get(f"sample/boost_discrete_distribution_mt19937_1t/{rest}")
        report.line(f"samples/s, best / Boost with mt19937, {rest}, 1 thread",
                    usual and speed / usual["items_per_second"], ">=", 8, best)
        both = two.get(best, {}).get("items_per_second")
        report.line(f"samples/s, two threads / one, {rest}", both and both / speed, ">=", 1.7,
                    f"{best}: {both / 1e6:.0f} M/s" if both else best)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--construction", type=pathlib.Path,
                        default=RESULTS / "cpu" / "cpu_construction.json")
    parser.add_argument("--sampling", type=pathlib.Path,
                        default=RESULTS / "cpu" / "cpu_sampling.json")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    arguments = parser.parse_args()
    report = Report()
    try:
        constructions = benchmarks(read(arguments.construction))
        construction(constructions, report)
        exact_construction(constructions, report)
        sampling(benchmarks(read(arguments.sampling)), report)
    except KeyError as error:
        print(f"ratios.py: {error}", file=sys.stderr)
        return 2
    return 1 if arguments.check and report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
