#!/usr/bin/env python3
"""Whether the judgements in thesis_notes.md are those that `scripts/reproduce.sh --records` comes to: for
every section, figure and table that claims are about, each verdict on one of them is a judgement of one of its
rows or their footnotes; and what a row there calls contradicted, some claim finds so.

Usage: test_judgements.py <root of the tree>
"""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))

from claim_model import evaluate
from claims_of_papers import CLAIMS
from faults import report
from records import Records

PAPERS = ("thesis", "report", "shuffling")
JUDGEMENTS = {"reproduced": r"Reproduced[.:,]", "reached": r"Reached[.:]", "contradicted": r"Contradicted\b",
              "differs": r"Reproduced with a difference\b"}


def judgements(notes):
    """place ("thesis 5.2.1", "thesis Table 5.1") -> [(line, judgement)] of the rows about it."""
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
            found[f"{paper} {place}"].append((number, judgement))
    return found


def main(root):
    rows, verdicts = judgements((root / "thesis_notes.md").read_text()), collections.defaultdict(set)
    for result in evaluate(CLAIMS, Records(root / "experiments" / "results", "h200", "cpu")):
        if result.claim.place.split()[0] in PAPERS:
            verdicts[result.claim.place].add(result.verdict)
    faults = []
    for place, found in verdicts.items():
        for verdict in found:
            if not any(re.search(JUDGEMENTS[verdict], judgement) for _, judgement in rows[place]):
                faults.append(f"{place}: no row says that a claim is {verdict}")
    of_line = collections.defaultdict(set)
    for place, found in verdicts.items():
        for row in rows[place]:
            of_line[row] |= found
    faults += [f"thesis_notes.md:{line}: contradicted, where claims are {', '.join(sorted(found))}"
               for (line, judgement), found in of_line.items()
               if re.search(JUDGEMENTS["contradicted"], judgement) and "contradicted" not in found]
    print(f"{len(verdicts)} places, {sum(len(rows[place]) for place in verdicts)} rows")
    return report(faults) or not verdicts


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
