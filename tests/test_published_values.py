#!/usr/bin/env python3
"""Checks plots/published/*.csv: the columns, that values are numbers with a unit and a source, that
machines are known, that no value is given twice, and that thesis_notes.md names every file. And both ways
between these values and the rows of thesis_notes.md: every number under "Published" is one of the values
whose place is that row's, or which the file has that the cell names; and every value from a running text is
in a row about its place, but for what is ours.

Usage: test_published_values.py [root of the tree]
"""

import csv
import glob
import math
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from claim_sources import PAPERS

COLUMNS = ["source", "place", "machine", "method", "distribution", "items", "samples", "quantity",
           "value", "unit", "note"]
SOURCES = {"thesis", "report", "shuffling", "measured"}  # the last: by us, of others


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        return reader.fieldnames, list(reader)


def problems(path, machines):
    columns, rows = read(path)
    if columns != COLUMNS:
        yield 1, f"columns {columns}, expected {COLUMNS}"
        return
    if not rows:
        yield 1, "no values"
    seen = set()
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            yield number, "wrong number of fields"
            continue
        if row["source"] not in SOURCES:
            yield number, f"unknown source '{row['source']}'"
        if row["machine"] and row["machine"] not in machines:
            yield number, f"machine '{row['machine']}' is not in machines.csv"
        for column in ("place", "quantity", "unit"):
            if not row[column]:
                yield number, f"{column} is empty"
        for column in ("items", "samples"):
            if row[column] and not row[column].isdigit():
                yield number, f"{column} '{row[column]}' is not a count"
        try:
            if not (math.isfinite(float(row["value"])) and float(row["value"]) > 0):
                yield number, f"value {row['value']} is not a positive number"
        except ValueError:
            yield number, f"value '{row['value']}' is not a number"
        key = tuple(row[column] for column in COLUMNS if column != "value")
        if key in seen:
            yield number, "the same value twice"
        seen.add(key)


# What is no published value in a cell: names of files, powers and what is beside them, sections, O(1), the
# exponent of a distribution.
NO_VALUES = re.compile(r"`[^`]*`|(?:1 − )?\w+\^[-\w]+(?: \+ 1)?|\b\d\.\d+\.\d+\b|O\([^)]*\)|exponent [\d.]+"
                       "|RTX 2080")
NUMBER = re.compile(r"(?<![\w.^-])(\d+(?:,\d{3})*(?:\.\d+)?)(?![\w^-]|\.\d|,\d)(%?)")


def rows_of_notes(notes):
    """(line, paper, places, cells) of each: "thesis 4.8.2 (split, traffic)" is about Section 4.8.2."""
    paper = ""
    for number, line in enumerate(notes.splitlines(), 1):
        if line.startswith("## "):
            paper = re.match(r"\w+", line[3:])[0].lower()
        cells = line.strip().strip("|").split(" | ")
        if paper not in PAPERS or not re.match(r"\| (?!Where|---)", line) or len(cells) < 7:
            continue
        where = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cells[0])
        before = re.sub(r"(?:Figure|Table|Algorithm|Equation|Listing)s? .*|\(.*", "", where)
        sections = re.findall(r"(?<![\w.])\d[\d.]*", before)
        parents = [section.rpartition(".")[0] for section in sections if section.count(".") > 1]
        places = {f"{kind} {section}" for section in (*sections, *parents) for kind in ("Section", "Chapter")}
        places |= set(re.findall(r"Abstract|(?:Table|Figure|Algorithm) \d[\d.]*", where))
        yield number, paper, places | ({"Abstract"} if sections == ["1"] else set()), cells


def forms_of(value, percent):
    """What can stand for a value: "15%", slower or less, for the ratio 1.15 or 0.85."""
    return (value, 100 * (value - 1), 100 * (1 - value)) if percent else (value,)


def stands_for(text, percent, value):
    number = text.replace(",", "")
    digits = len(number.partition(".")[2])
    return any(abs(float(number) - form) <= 0.5001 * 10**-digits for form in forms_of(value, percent))


def numbers_in(cell):
    """(number, "%" or ""); p/8 is 0.125."""
    decimal = re.sub(r"\b(\d+|p)/(\d+)\b",
                     lambda part: f"{(1 if part[1] == 'p' else int(part[1])) / int(part[2]):.4g}", cell)
    return NUMBER.findall(NO_VALUES.sub(" ", decimal))


def without_powers(cell):
    return re.sub(r"(?<![\w.·])10\^(\d+)", lambda power: str(10 ** int(power[1])), cell)


def problems_of_notes(notes, values):
    """`values`: path -> rows."""
    rows = list(rows_of_notes(notes))
    for number, paper, places, cells in rows:
        known = {float(row["value"]) for path, found in values.items() for row in found
                 if row["source"] == paper and (row["place"] in places or path in cells[4])}
        for text, percent in numbers_in(cells[4]):
            if not any(stands_for(text, percent, value) for value in known):
                yield number, f"{text}{percent} is not published for {paper} {cells[0]}: {cells[4]}"
    for path, found in values.items():
        for row in found if path.endswith("_text.csv") else ():
            about_it = [cell for _, paper, places, cells in rows for cell in (*cells[:5], *cells[6:])
                        if paper == row["source"] and row["place"] in places]
            if not any(stands_for(text, percent, float(row["value"])) for cell in about_it
                       for text, percent in numbers_in(without_powers(cell))):
                yield 1, f"no row has {row['quantity']} {row['value']}, {row['source']} {row['place']}"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    folder = os.path.join(root, "plots/published")
    _, machine_rows = read(os.path.join(folder, "machines.csv"))
    machines = {row["machine"] for row in machine_rows}
    with open(os.path.join(root, "thesis_notes.md"), encoding="utf-8") as file:
        notes = file.read()
    files = sorted(glob.glob(os.path.join(folder, "*.csv")))
    values = {os.path.relpath(path, root): read(path)[1] for path in files
              if not path.endswith("machines.csv")}
    failures = 0
    for number, what in problems_of_notes(notes, values):
        print(f"thesis_notes.md:{number}: {what}")
        failures += 1
    for path in files:
        found = [] if path.endswith("machines.csv") else list(problems(path, machines))
        if os.path.relpath(path, root) not in notes:
            found.append((1, "not named in thesis_notes.md"))
        for number, what in found:
            print(f"{os.path.relpath(path, root)}:{number}: {what}")
        failures += len(found)
    print(f"{len(files)} files, {failures} problems")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
