#!/usr/bin/env python3
"""Whether the records of experiments/results are as record_format.py writes them, with one line per benchmark:
scripts/record.sh writes them so, and nobody edits them by hand. And whether readers refuse what Google Benchmark wrote.

Usage: test_record_format.py <root of the tree>
"""

import itertools
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from faults import report
from record_format import FIELDS_OF_ROW, OMITTED_CONTEXT, text_of
from records import benchmarks, read

MOST_LINES = 67_751  # of all records: a tenth of what Google Benchmark wrote for the first 41
OF_RECORD = {"name", "repetitions"}
NUMBERS = re.compile(r"(?<![\w.])\d+(?![\w.])")  # of items, samples or splits, in a benchmark's name
OF_CONTEXT = {"date", "commit", "build_type", "compiler", "cpu", "device", "driver", "threads", "toolkit"}


def faults_of_row(row):
    if not OF_RECORD | {"ms"} <= row.keys():
        yield f"lacks {', '.join(sorted((OF_RECORD | {'ms'}) - row.keys()))}"
        return
    if more := row.keys() & FIELDS_OF_ROW - OF_RECORD:
        yield f"has {', '.join(sorted(more))}"
    if not row.get("min", 0) <= row["ms"] <= row.get("max", row["ms"]):
        yield f"has a median of {row['ms']} ms, not between {row['min']} and {row['max']}"
    if rate := row.get("items_per_second"):
        worked = rate * row["ms"] / 1000
        numbers = [int(number) for number in NUMBERS.findall(row["name"]) if int(number)]
        numbers += [a * b for a, b in itertools.combinations(numbers, 2)]  # k samples from each of some rows
        if not any(abs(worked / number - 1) < 0.005 for number in numbers):
            yield f"has {rate} items a second in {row['ms']} ms, {worked:.6g} items, which its name does not have"
    if not {"min", "max"} <= row.keys() and row["repetitions"] > 1 and "cv" not in row:
        yield f"has {row['repetitions']} repetitions, and no minimum and maximum"


def faults_of(text):
    record = json.loads(text)
    if "benchmarks" in record and any("run_name" in row for row in record["benchmarks"]):
        yield f"is {len(text.splitlines())} lines as Google Benchmark wrote them; scripts/clean_record.py shortens it"
        return
    if text != text_of(record):
        yield f"is {len(text.splitlines())} lines, not {len(text_of(record).splitlines())} as text_of writes them"
    context = record.get("context", {})
    if lacking := OF_CONTEXT - context.keys():
        yield f"lacks {', '.join(sorted(lacking))} in its context"
    if more := OMITTED_CONTEXT & context.keys():
        yield f"has {', '.join(sorted(more))} in its context"
    rows = record.get("benchmarks", ())
    if len(benchmarks(record)) != len(rows):
        yield f"has {len(rows)} benchmarks of {len(benchmarks(record))} names"
    for row in rows:
        yield from (f"{row.get('name')} {fault}" for fault in faults_of_row(row))


GOOD = {"name": "a", "ms": 2.5, "min": 2, "max": 3, "repetitions": 9}
CONTEXT = dict.fromkeys(OF_CONTEXT, "")
# Rows that must be refused.
BAD = ({"name": "a_median", "run_name": "a", "run_type": "aggregate", "aggregate_name": "median"},
       {key: value for key, value in GOOD.items() if key != "ms"}, GOOD | {"min": 2.75}, GOOD | {"max": 2.25},
       GOOD | {"name": "a/1000", "items_per_second": 500_000},
       {key: value for key, value in GOOD.items() if key != "min"}, GOOD | {"cpu_time": 1})


def faults_of_this_test():
    def record_of(*rows, context=CONTEXT):
        return text_of({"context": context, "benchmarks": list(rows)})
    good = record_of(GOOD)
    if found := list(faults_of(good)):
        yield f"a good record {found}"
    texts = [*map(record_of, BAD), record_of(GOOD, GOOD), record_of(GOOD, context={}),
             record_of(GOOD, context=CONTEXT | {"host_name": "somewhere"}), good.replace("2.5", "2.50000001"),
             json.dumps(json.loads(good), indent=1)]
    yield from (f"this is not refused: {text}" for text in texts if not list(faults_of(text)))


def faults_of_reader():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "run.json")
        path.write_text(json.dumps({"context": {}, "benchmarks": [BAD[0]]}))
        try:
            read(path)
        except SystemExit as refused:
            if "clean_record.py" in str(refused.code):
                return
        yield "what Google Benchmark wrote is read as a record"


def main(root):
    texts = {path.relative_to(root): path.read_text(encoding="utf-8")
             for path in sorted((root / "experiments" / "results").rglob("*.json"))}
    faults = [*faults_of_this_test(), *faults_of_reader(),
              *(f"{path} {fault}" for path, text in texts.items() for fault in faults_of(text))]
    lines = sum(len(text.splitlines()) for text in texts.values())
    if lines > MOST_LINES:
        faults.append(f"the records have {lines} lines, more than {MOST_LINES}")
    return report(faults, f"{len(texts)} records of {lines} lines, ") or not texts


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
