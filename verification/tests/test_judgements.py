#!/usr/bin/env python3
"""Whether the judgements in thesis_notes.md are those that `scripts/reproduce.sh --records` comes to: for
every section, figure and table that claims are about, each verdict on one of them is a judgement of its row,
where there are several of the one that the claim names, or of a footnote; the first judgement of a row is a
verdict on one of its claims; and what a row calls contradicted, some claim finds so.

Usage: test_judgements.py <root of the tree>
"""

import collections
import pathlib
import re
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))

from claim_model import evaluate
from claims_of_papers import CLAIMS
from faults import report
from records import Records

PAPERS = ("thesis", "report", "shuffling")
JUDGEMENTS = {"reproduced": r"Reproduced[.:,]", "reached": r"Reached[.:]", "contradicted": r"Contradicted\b",
              "differs": r"Reproduced with a difference\b"}


class Row(typing.NamedTuple):
    """Of thesis_notes.md."""
    line: int
    title: str
    judgement: str  # and its footnotes


def judgements(notes):
    """place ("thesis 5.2.1", "thesis Table 5.1") -> the rows about it."""
    found, paper = collections.defaultdict(list), ""
    footnotes = dict(re.findall(r"^(\[\^[\w.-]+\]): ((?:.+\n)+?)(?=\[\^|\n|\Z)", notes, re.MULTILINE))
    for number, line in enumerate(notes.splitlines(), 1):
        if line.startswith("## "):
            paper = re.match(r"\w+", line[3:])[0].lower()
        if paper not in PAPERS or not re.match(r"\| (?!Where|---)", line):
            continue
        cells = line.strip().strip("|").split(" | ")
        where = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cells[0]).strip()
        section = re.match(r"\d[\d.]*\b", where)
        for place in ([section[0]] if section else []) + re.findall(r"(?:Table|Figure) \d+(?:\.\d+)?", where):
            judgement = re.sub(r"\[\^[\w.-]+\]", lambda name: f" {footnotes[name[0]]}", cells[-1].strip())
            found[f"{paper} {place}"].append(Row(number, where, judgement))
    return found


def words_of(judgement):
    """The verdicts that a judgement has, in the order of their first mention."""
    found = {verdict: re.search(pattern, judgement) for verdict, pattern in JUDGEMENTS.items()}
    return sorted((verdict for verdict, each in found.items() if each), key=lambda verdict: found[verdict].start())


def main(root):
    rows, faults = judgements((root / "thesis_notes.md").read_text()), []
    of_row, places = collections.defaultdict(set), set()
    for result in evaluate(CLAIMS, Records(root / "experiments" / "results", "h200", "cpu")):
        claim = result.claim
        if claim.place.split()[0] not in PAPERS:
            continue
        places.add(claim.place)
        about_it = [row for row in rows[claim.place] if claim.row in row.title]
        if claim.row and len(about_it) != 1:
            faults.append(f"{claim.place}: {len(about_it)} rows are called '{claim.row}'")
        if not any(result.verdict in words_of(row.judgement) for row in about_it):
            faults.append(f"{claim.place}: no row says that this is {result.verdict}: {claim.what}")
        for row in about_it:
            of_row[row].add((len(about_it) == 1, result.verdict))
    for row, found in of_row.items():
        words, verdicts = words_of(row.judgement), {verdict for _, verdict in found}
        # A row that has claims of its own is judged by these first.
        if (True in {alone for alone, _ in found} and words and words[0] not in verdicts
                or "contradicted" in words and "contradicted" not in verdicts):
            faults.append(f"thesis_notes.md:{row.line}: {words}, where claims are {sorted(verdicts)}")
    print(f"{len(places)} places, {len(of_row)} rows")
    return report(faults) or not places


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
