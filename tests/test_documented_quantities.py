#!/usr/bin/env python3
"""Whether what the documents say is measured is in the records: every time, rate, energy and number of bytes
("0.53 ms", "442 and 1,228 MB") that is followed, in the same cell of a table or the same paragraph, by
the name of a record in parentheses has to be a value of some row there, rounded. Which row that is it
does not see; tables of which it is known are compared by test_documented_numbers.py. Ratios and percentages
are computed from the records, as documented_ratios.py says for each, and so are rates of shuffles whose unit
stands apart, and statistics, by documented_shuffles.py; UNCOMPUTED of those that the notes
give as ours are not, as no record has what they are from, or other tests compare them.

Usage: test_documented_quantities.py <root of the tree>
"""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from documented_ratios import MERGE_NOTE, NOTES, README
from documented_shuffles import SHUFFLES
from faults import report
from records import Missing, Records, benchmarks, read
from test_documented_numbers import is_rounded

UNCOMPUTED = 36
DOCUMENTS = ("README.md", "thesis_notes.md", "docs/merge_construction.md")
SECTOR = 32  # bytes
NUMBER = r"(?<![\w^.·])\d[\d,]*(?:\.\d+)?"
UNITS = {"s": ("time", 1), "ms": ("time", 1e-3), "us": ("time", 1e-6),
         "ns an item": ("time of an item", 1e-9), "ps an item": ("time of an item", 1e-12),
         "GSamples/s": ("rate", 1e9), "MSamples/s": ("rate", 1e6),
         "G words/s": ("rate", 1e9), "G/s": ("rate", 1e9), "J": ("energy", 1), "W": ("power", 1),
         "W idle": ("power", 1), "million keys/s": ("rate", 1e6), "MB": ("bytes", 1e6), "GB": ("bytes", 1e9)}
QUANTITY = re.compile(rf"({NUMBER}(?:(?:, | and | to | or | against ){NUMBER})*) "
                      rf"({'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})\b"
                      r"(?! (?:each )?in theory)")
RECORD = r"`([a-z_\d]+)\.json`"
RATIO = re.compile(rf"{NUMBER}(?= times|%)")
SOURCE = re.compile(rf"(?<=[(,] |.\(){RECORD}[^()]*\)")


def values_of_benchmark(row):
    """What a row of a benchmark says: kind, value in SI units."""
    seconds = row["ms"] / 1000
    yield "time", seconds
    for field, value in row.items():
        if field.endswith("_us"):
            yield "time", value * 1e-6
        if field.startswith("joules"):
            yield "energy", value
        if field == "watts":
            yield "power", value - row["idle_watts"]
        if field == "idle_watts":
            yield "power", value
        if field == "items_per_second":
            yield "rate", value
            yield "time of an item", 1 / value
    for part in re.findall(r"(?<=/)\d+(?=/|$)", row["name"]):  # an axis is the number of items
        yield "time of an item", seconds / int(part)


def values_of_counters(rows):
    """The same of the kernels that were counted under one name, each and together."""
    for which in (*([row] for row in rows), rows):
        total = {field: sum(each.get(field, 0) for each in which)
                 for field, value in rows[0].items() if not isinstance(value, str)}
        yield "time", total["duration_ns"] * 1e-9
        for field, value in total.items():
            if field.startswith("memory_bytes"):
                yield "bytes", value
            if re.match(r"l[12]_sectors", field):
                yield "bytes", value * SECTOR
        yield "bytes", total["memory_bytes_read"] + total["memory_bytes_written"]


def values_of(path):
    """kind -> all values of a record."""
    record = read(path)
    found = collections.defaultdict(set)
    for row in benchmarks(record).values():
        for kind, value in values_of_benchmark(row):
            found[kind].add(value)
    counted = collections.defaultdict(list)
    for row in record.get("counters", ()):
        counted[row["name"]].append(row)
    for rows in counted.values():
        for kind, value in values_of_counters(rows):
            found[kind].add(value)
    for row in record.get("peers", ()):
        found["time"] |= {row[field] / 1000 for field in ("construct", "draw") if field in row}
    return found


def pieces(document):
    """Its paragraphs, or cells of its tables, with the number of their first line."""
    begin = 1
    for paragraph in re.split(r"(\n\s*\n|\n(?=\[\^))", document):  # or footnotes
        if paragraph.lstrip().startswith("|"):
            for number, line in enumerate(paragraph.splitlines(), begin):
                yield from ((number, cell) for cell in line.split("|"))
        else:
            yield begin, " ".join(paragraph.split())
        begin += paragraph.count("\n")


def stands_for(text, value):
    """Whether this is the value, rounded; the zeros at the end of thousands are no digits of it."""
    number = text.replace(",", "")
    zeros = len(number) - len(number.rstrip("0")) if "," in text and "." not in text else 0
    return is_rounded(number, value) or zeros > 0 and abs(float(number) - value) <= 0.5001 * 10**zeros


def faults_of(name, document, records):
    """And how many numbers were looked up."""
    found, looked_up = [], 0
    for line, piece in pieces(document):
        behind = 0
        for source in SOURCE.finditer(piece):
            names = re.findall(RECORD, source[0])
            values = [records[each] for each in names if each in records]
            said, behind = piece[behind:source.start()], source.end()
            for quantity in QUANTITY.finditer(said):
                kind, scale = UNITS[quantity[2]]
                for number in re.findall(NUMBER, quantity[1]):
                    looked_up += 1
                    if not any(stands_for(number, value / scale)
                               for each in values for value in each[kind]):
                        found.append(f"{name}:{line}: {number} {quantity[2]} is not in {', '.join(names)}")
    return found, looked_up


def pattern_of(piece):
    return re.escape(piece).replace(re.escape("#"), f"({NUMBER}|twice)")


def ours_in(notes):
    """The text without what rows of the papers say, and have published."""
    lines = [line.split(" | ") for line in notes.splitlines()]
    return " ".join(" | ".join(cells if len(cells) < 7 else (cells[0], *cells[5:])) for cells in lines)


def uncomputed(notes, ratios):
    """The ratios that none of these has."""
    text = " ".join(ours_in(notes).split())
    pieces = [found.span() for piece, *_ in ratios
              for found in re.finditer(pattern_of(piece), text)]
    return [text[found.start() - 60:found.end() + 20] for found in RATIO.finditer(text)
            if not any(begin <= found.start() < end for begin, end in pieces)]


def faults_of_ratios(name, document, ratios, records):
    text = " ".join(document.split())
    for piece, *values in ratios:
        found = re.findall(pattern_of(piece), text)
        if len(found) != 1 or piece.count("#") != len(values):
            yield f"{name}: {len(found)} times, not once, with {len(values)} numbers: {piece}"
            continue
        try:
            computed = [value(records) for value in values]
        except Missing as missing:
            yield f"{name}: {missing}, for: {piece}"
            continue
        for number, value in zip(found[0] if len(values) > 1 else found, computed, strict=True):
            if not stands_for("2" if number == "twice" else number, value):
                yield f"{name}: {number} is {value:.4g} by the records: {piece}"


def main(root):
    records = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in sorted((root / "experiments" / "results").glob("*/*.json")):
        for kind, values in values_of(path).items():
            records[path.stem][kind] |= values
    faults, looked_up = [], 0
    for name in DOCUMENTS:
        found, number = faults_of(name, (root / name).read_text(), records)
        faults += found
        looked_up += number
    recorded = Records(root / "experiments" / "results", "h200", "cpu")
    notes = (*NOTES, *SHUFFLES)
    for name, ratios in zip(DOCUMENTS, (README, notes, MERGE_NOTE), strict=True):
        faults += faults_of_ratios(name, (root / name).read_text(), ratios, recorded)
        looked_up += sum(len(values) for _, *values in ratios)
    others = uncomputed((root / "thesis_notes.md").read_text(), notes)
    if len(others) != UNCOMPUTED:
        faults.append(f"thesis_notes.md: {len(others)} ratios are computed from no record, not {UNCOMPUTED}: "
                      + "; ".join(others))
    if looked_up < 400:
        faults.append(f"only {looked_up} numbers were found in the documents")
    print(f"{looked_up} numbers looked up")
    return report(faults)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
