#!/usr/bin/env python3
"""Whether the judgements in thesis_notes.md are those that `scripts/reproduce.sh --records` comes to. Every
claim names its row of the notes, and other rows that say the same. A row that has claims begins with the
verdict on the first of them, as the files of claims have them, or with "Contradicted" if one of them is: a
contradiction comes first. It has the verdict on each of its claims, in its judgement or a footnote of it,
and has "Contradicted" only if one of them is. Other words may follow for what no claim is about.

The rows that begin with a verdict and have no claim are those in UNCHECKED, with their verdicts: no record has
what they say.

Every section, figure, table, algorithm, listing and equation of the papers has its rows, as
parts_of_papers.py lists them.

A claim leads to what makes it: to a figure that is drawn from its record, where its row of the notes names
one, and to experiments that scripts/reproduce.sh knows, which each of its rows has under "Shown by".

Usage: test_judgements.py <root of the tree>
"""

import collections
import pathlib
import re
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from claim_model import evaluate
from claim_sources import PAPERS, figures, figures_in, sources_of
from claims_of_papers import CLAIMS
from faults import report
from parts_of_papers import parts, places_in
from records import Records
from reproduction_plan import EXPERIMENTS

UNCHECKED = {  # theory that a test counts or has, and p-values that verify_sampling prints
    "thesis 1.4.1 (memory volume)": ("contradicted", "tests/test_prefixsum.cpp"),
    "thesis 1.4.2, Figure 1.8": ("differs", "tests/test_prefixsum.cpp"),
    "thesis 1.4.2 (memory volume)": ("differs", "tests/test_prefixsum.cpp"),
    "thesis 2.8": ("contradicted", "tests/test_rejection.cpp"),
    "thesis 4.9 (sampling)": ("differs", "verification/drivers/verify_sampling.cpp")}
JUDGEMENTS = {"reproduced": r"Reproduced[.:,]", "reached": r"Reached[.:]", "contradicted": r"Contradicted\b",
              "differs": r"Reproduced with a difference\b"}


class Row(typing.NamedTuple):
    """Of thesis_notes.md."""
    line: int
    paper: str
    title: str
    shown_by: str
    judgement: str  # and its footnotes


def judgements(notes):
    """place ("thesis 5.2.1", "thesis Table 5.1", "report Abstract") -> the rows about it."""
    found, paper = collections.defaultdict(list), ""
    footnotes = dict(re.findall(r"^(\[\^[\w.-]+\]): ((?:.+\n)+?)(?=\[\^|\n|\Z)", notes, re.MULTILINE))
    for number, line in enumerate(notes.splitlines(), 1):
        if line.startswith("## "):
            paper = re.match(r"\w+", line[3:])[0].lower()
        if paper not in PAPERS or not re.match(r"\| (?!Where|---)", line):
            continue
        cells = line.strip().strip("|").split(" | ")
        where = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cells[0]).strip()
        for place in places_in(where):
            judgement = re.sub(r"\[\^[\w.-]+\]", lambda name: f" {footnotes[name[0]]}", cells[-1].strip())
            found[f"{paper} {place}"].append(Row(number, paper, where, cells[3], judgement))
    return found


def words_of(judgement):
    """The verdicts that a judgement has."""
    return {verdict for verdict, pattern in JUDGEMENTS.items() if re.search(pattern, judgement)}


def rows_of(claim, rows):
    """The rows that it is about, and faults where one cannot be told."""
    found, faults = [], []
    for place, part in ((claim.place, claim.row), *claim.also):
        about_it = [row for row in rows[place] if part in row.title]
        if len(about_it) == 1:
            found += about_it
        else:
            faults.append(f"{place}: {len(about_it)} rows are called '{part}', for: {claim.what}")
    return found, faults


def fault_of(row, verdicts):
    """`verdicts` are those on its claims, in their order."""
    words = words_of(row.judgement)
    leading = "contradicted" if "contradicted" in verdicts else verdicts[0]
    if not re.match(JUDGEMENTS[leading], row.judgement):
        return f"does not begin with '{leading}', where claims are {verdicts}"
    if not words >= set(verdicts):
        return f"has {sorted(words)}, where claims are {verdicts}"
    if "contradicted" in words - set(verdicts):
        return f"has 'contradicted', where claims are {verdicts}"
    return ""


def faults_of_unchecked(unchecked):
    """`unchecked`: title -> row, of those that have a judgement and no claim."""
    for title in sorted(unchecked.keys() ^ UNCHECKED.keys()):
        yield f"{title}: " + ("has a judgement and no claim" if title in unchecked else
                              "has a claim, or no judgement, and is in UNCHECKED")
    for title in unchecked.keys() & UNCHECKED.keys():
        row, (verdict, shown_by) = unchecked[title], UNCHECKED[title]
        if not re.match(JUDGEMENTS[verdict], row.judgement) or words_of(row.judgement) != {verdict}:
            yield (f"thesis_notes.md:{row.line}: {row.title} has {sorted(words_of(row.judgement))}, "
                   f"not '{verdict}'")
        if f"`{shown_by}`" not in row.shown_by:
            yield f"thesis_notes.md:{row.line}: {row.title} is not shown by {shown_by}"


def faults_of_parts(rows):
    """Parts of the papers that have no row, or not as many as are listed, and rows of no such part."""
    listed = dict(parts())
    for place in rows.keys() - listed.keys():
        yield f"thesis_notes.md:{rows[place][0].line}: {place} is not in parts_of_papers.py"
    for place, number in listed.items():
        if len(rows.get(place, ())) != number:
            yield f"thesis_notes.md: {len(rows.get(place, ()))} rows are about {place}, not {number}"


def faults_of_sources(result, about_it, known, root):
    """`known`: the figures, by the records that they need; `about_it`: the claim's rows."""
    sources, what = sources_of(result, known), f"{result.claim.place}: {result.claim.what}"
    if not sources:
        yield f"{what}: is from no experiment"
    for name in sources:
        if name in known and not (root / "plots" / "figures" / f"{name}.png").is_file():
            yield f"{what}: there is no picture {name}"
        if name not in known and name not in {each.name for each in EXPERIMENTS.values()}:
            yield f"{what}: there is no figure or experiment {name}"
    drawn = [figure for row in about_it[:1] for figure in figures_in(row.paper, row.title)
             if result.records.intersection(known.get(figure, ()))]
    if drawn and not set(drawn).intersection(sources):
        yield f"{what}: {', '.join(drawn)} is drawn from its record and not named"
    for row in about_it:
        for key in result.records:
            if not re.search(rf"/{key.split('/')[1]}\.(cpp|cu|py)`", row.shown_by):
                yield f"thesis_notes.md:{row.line}: {row.title} is not shown by {key}, which has: {what}"


def main(root):
    rows, faults, known = judgements((root / "thesis_notes.md").read_text()), [], figures(root)
    of_row = collections.defaultdict(list)
    for result in evaluate(CLAIMS, Records(root / "experiments" / "results", "h200", "cpu")):
        about_it = []
        if result.claim.place.split()[0] in PAPERS:
            about_it, unknown = rows_of(result.claim, rows)
            faults += unknown
            for row in about_it:
                of_row[row].append(result.verdict)
        faults += faults_of_sources(result, about_it, known, root)
    for row in {row for all_there in rows.values() for row in all_there}:
        for name in re.findall(r"`experiments/(\w+)\.(?:cpp|cu|py)`", row.shown_by):
            if name not in {each.name for each in EXPERIMENTS.values()}:
                faults.append(f"thesis_notes.md:{row.line}: scripts/reproduce.sh knows no experiment {name}")
    for row, verdicts in of_row.items():
        if fault := fault_of(row, verdicts):
            faults.append(f"thesis_notes.md:{row.line}: {row.title} {fault}")
    judged = {row for all_there in rows.values() for row in all_there
              if any(re.match(pattern, row.judgement) for pattern in JUDGEMENTS.values())}
    faults += faults_of_unchecked({f"{row.paper} {row.title}": row for row in judged - of_row.keys()})
    faults += faults_of_parts(rows)
    print(f"{len(of_row)} rows have claims, {len(judged - of_row.keys())} with a judgement have none")
    return report(faults) or not of_row


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
