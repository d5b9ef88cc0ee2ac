#!/usr/bin/env python3
"""Whether every record of experiments/results says of which commit it is, and it and all its rows are of
commits that the history of this tree has: of no changes that were not committed, and of nothing that is lost.
Skips itself where there is no history (an unpacked archive, a shallow clone).

Usage: test_record_commits.py <root of the tree>
"""

import csv
import json
import pathlib
import re
import subprocess
import sys

from faults import report


def commits_of_json(record):
    if isinstance(record, list):
        for each in record:
            yield from commits_of_json(each)
    elif isinstance(record, dict):
        if "commit" in record:
            yield record["commit"]
        for each in record.values():
            if isinstance(each, (dict, list)):
                yield from commits_of_json(each)


def commits_of(path):
    """All that the record names; "nothing" where it, or a row of CSV, does not say."""
    if path.suffix == ".csv":
        with open(path, encoding="utf-8", newline="") as file:
            return {row.get("commit") or "nothing" for row in csv.DictReader(file)}
    if path.suffix == ".ppm":
        found = re.match(rb"P6\n# commit (\S+)\n", path.read_bytes())
        return {found[1].decode() if found else "nothing"}
    record = json.loads(path.read_text(encoding="utf-8"))
    return {record["context"].get("commit", "nothing"), *commits_of_json(record)}


def git(root, *arguments):
    """What it prints, or None, and what it complains about."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    except OSError as error:
        return None, str(error)
    return done.stdout.strip() if done.returncode == 0 else None, done.stderr.strip()


def history(root):
    """All commits up to this one, and why there are none."""
    top, why = git(root, "rev-parse", "--show-toplevel")
    if top is None or pathlib.Path(top).resolve() != root:
        return [], f"no git repository is here{f' ({why})' if why else ''}"
    if git(root, "rev-parse", "--is-shallow-repository")[0] != "false":
        return [], "this clone is shallow"
    commits, why = git(root, "rev-list", "HEAD")
    return (commits or "").split(), why


def main(root):
    known, why = history(root)
    if not known:
        print(f"skipped: the commits of the records need the history, but {why}")
        return 0
    records = [path for path in sorted((root / "experiments" / "results").rglob("*"))
               if path.suffix in (".json", ".csv", ".ppm")]
    faults, seen = [], set()
    for path in records:
        for commit in sorted(commits_of(path)):
            seen.add(commit)
            if len(commit) < 7 or not any(each.startswith(commit) for each in known):
                faults.append(f"{path.relative_to(root)} names {commit}, no commit of this history")
    return report(faults, f"{len(records)} records of {len(seen)} commits, ") or not records


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
