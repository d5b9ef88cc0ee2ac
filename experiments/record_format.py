"""The form in which runs are recorded, and how the output of Google Benchmark becomes one.

A record is {"context": {...}, "benchmarks": [...]} with one benchmark per line: `name`; `ms`, `min` and `max`, the
median, minimum and maximum of its times in milliseconds; `repetitions`; `label` and `commit` where there are any; and
the medians of its rates and counters. Records of other programs have a list of another name, also with one row per
line."""

import json
import re

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
DIGITS = 6  # significant; times vary in the third
# What Google Benchmark says of the machine: its name, its load, and what `cpu` and `threads` say as well.
OMITTED_CONTEXT = {"host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "aslr_enabled", "caches",
                   "load_avg", "library_version", "library_build_type", "json_schema_version"}
# What it says of every row; anything else in a row is a rate, a counter or a text of ours.
FIELDS_OF_ROW = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
                 "repetition_index", "threads", "aggregate_name", "aggregate_unit", "iterations", "real_time",
                 "cpu_time", "time_unit"}


def name_of(row):
    """The name of a benchmark without Google Benchmark's suffixes."""
    return re.sub(r"/iterations:\d+", "", row["run_name"]).removesuffix("/manual_time")


def compact_context(context):
    kept = {key: value for key, value in context.items() if key not in OMITTED_CONTEXT}
    # Generations of processors that give themselves the same name differ in this.
    kept |= {"l1_data_kb": cache["size"] // 1024 for cache in context.get("caches", ())
             if (cache["type"], cache["level"]) == ("Data", 1)}
    return kept


def milliseconds(row):
    return row["real_time"] * MILLISECONDS[row["time_unit"]]


def compact_row(aggregates):
    """The line of one benchmark from its rows by aggregate; `median` is its only run where there was one."""
    row = aggregates["median"]
    times = {"ms": milliseconds(row)} | {each: milliseconds(aggregates[each]) for each in ("min", "max")
                                         if each in aggregates}
    # A counter that is not a number says nothing.
    own = {key: value for key, value in row.items() if key not in FIELDS_OF_ROW and value == value}
    return {"name": name_of(row), **times, "repetitions": row["repetitions"], **own}


def compact(run):
    """The record of a run of Google Benchmark. Benchmarks that failed are left out."""
    found = {}
    for row in run["benchmarks"]:
        if row["run_type"] == "aggregate":
            found.setdefault(name_of(row), {})[row["aggregate_name"]] = row
        elif row["repetitions"] == 1 and not row.get("error_occurred"):  # has no aggregates
            found.setdefault(name_of(row), {})["median"] = row
    return {"context": compact_context(run["context"]),
            "benchmarks": [compact_row(each) for each in found.values() if "median" in each]}


def rounded(value):
    """The same with at most DIGITS significant digits in what is not an integer."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if not isinstance(value, float):
        return value
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def line_of(value):
    return json.dumps(rounded(value), ensure_ascii=False, allow_nan=False)


def text_of(record):
    """JSON with a line for each row of a list and for anything else."""
    parts = []
    for key, value in record.items():
        rows = ",\n".join(map(line_of, value)) if isinstance(value, list) else None
        parts.append(f"{json.dumps(key)}: " + (line_of(value) if rows is None else f"[\n{rows}\n]"))
    return "{" + ",\n".join(parts) + "}\n"
