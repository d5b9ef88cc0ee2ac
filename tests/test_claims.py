#!/usr/bin/env python3
"""Whether the documents have what experiments/claims.py generates from the claims and the records; that claims are
complete; that verdicts follow their bounds; that another measurement changes what is written, and a claim
without its record is said not to be measured; and that thesis_notes.md has every part of the papers and stays
readable.

Usage: test_claims.py <root of the tree>
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments"))

import claim_model
import claim_sources
from faults import report
from generated_text import BLOCK, documents
from parts_of_papers import parts, places_in
from records import RESULTS, Missing, Records

NOTES_BYTES, LINE = 60_000, 500
IN_WORDS = ("0", "1", "10", "100")  # none, as much, linear, all: what a paper may say without a number
# (bounds, published, ours) -> verdict: inside, at, and outside of each bound.
VERDICTS = {
    ("same", 2.0, 2.0): "reproduced", ("same", 2.0, 2**0.71): "reproduced", ("same", 2.0, 2**0.69): "differs",
    ("same", 2.0, 2**1.42): "reproduced", ("same", 2.0, 2**1.44): "differs", ("same", 2.0, 2**0.11): "differs",
    ("same", 2.0, 2**0.09): "contradicted", ("same", 2.0, 0.5): "contradicted", ("same", 0.5, 0.5): "reproduced",
    ("same", 0.5, 2.0): "contradicted", ("same", 1.0, 1.02): "reproduced", ("same", 1.0, 1.04): "differs",
    ("within 1.25", 10, 12.4): "reproduced", ("within 1.25", 10, 12.6): "differs",
    ("within 1.25", 10, 7.9): "differs", ("within 1.25", 1.2, 0.9): "contradicted",
    ("within 1.25 of another program", 1.2, 0.9): "differs",
    ("more in another configuration", None, 0.9): "differs", ("same in another configuration", 2.0, 2.0): "reproduced",
    ("more", None, 1.021): "reproduced",
    ("more", None, 1.019): "contradicted",
    ("lower bound", 2.0, 9.0): "reproduced", ("lower bound", 2.0, 1.95): "reproduced",
    ("lower bound", 2.0, 2**0.69): "differs", ("lower bound", 2.0, 0.5): "contradicted",
    ("upper bound", 1.0, 0.5): "reproduced", ("upper bound", 1.0, 1.02): "reproduced",
    ("upper bound", 1.0, 1.04): "differs",
    ("at least", 5, 5): "reached", ("at least", 5, 4.9): "differs",
    ("at most", 5, 5): "reached", ("at most", 5, 5.1): "differs", ("target at least", 5, 5): "met",
    ("target at least", 5, 4.9): "missed", ("target at most", 5, 5): "met", ("target at most", 5, 5.1): "missed"}
NUMBERS = {0: "0", 0.0313: "0.0313", 1.6649: "1.66", 9.999: "10.0", 99.96: "100", 437.4: "437", 1090.2: "1,090"}


class Slower(Records):
    """The same records, in which all times are longer and all rates smaller."""

    def ms(self, key, name):
        return super().ms(key, name) * 3 ** (len(name) % 3)

    def rate(self, key, name):
        return super().rate(key, name) / 3 ** (len(name) % 3)


class Lost(Records):
    def row(self, key, name):
        raise Missing(f"{key} has no {name}")


def records(kind=Records):
    return kind(RESULTS, "h200", "cpu")


def faults_of_claims(claims, results, root):
    known = claim_sources.figures(root)
    seen = set()
    for claim, result in zip(claims, results):
        where = f"claim {claim.id}"
        if claim.id in seen:
            yield f"{where} is there twice"
        seen.add(claim.id)
        for field in ("place", "says", "ours", "bounds", "judgement", "wrong_if"):
            if not getattr(claim, field).strip():
                yield f"{where} has no {field}"
        if not result.records:
            yield f"{where} is computed from no record"
        if claim.figure and not result.records.intersection(known.get(claim.figure, ())):
            yield f"{where}: {claim.figure} is drawn from none of {', '.join(sorted(result.records))}"
        if (claim.published == claim_model.IN_WORDS) != claim.bounds.startswith("more"):
            yield f"{where}: the bounds are {claim.bounds}, what is published is {claim.published}"
        if claim.paper != "ours" and re.match(r"\d", claim.published) and claim.published not in IN_WORDS:
            yield f"{where}: what is published, {claim.published}, is typed by hand"
        for sentence in (claim.says, claim.judgement, claim.wrong_if):
            yield from faults_of_sentence(where, sentence)


def faults_of_sentence(where, sentence):
    without = re.sub(r"\{[^}]*\}|(?:Figure|Table|section) \d+\.\d+|\d+\.\d+\.\d+|\(\d\.\d\)", "", sentence)
    if found := re.findall(r"(?<![\w^.-])\d+\.\d+", without):
        yield f"{where}: {', '.join(found)} is typed by hand"


def faults_of_texts():
    for name, text in claim_model.read(claim_model.CLAIMS / "texts.toml")["text"].items():
        yield from faults_of_sentence(f"text {name}", text["text"])


def faults_of_documents(root, results):
    written = 0
    for path, text in documents(root, results, records()):
        blocks = len(BLOCK.findall(text))
        written += blocks
        if not text.count("<!-- generated") == text.count("<!-- end") == blocks:
            yield f"{path.relative_to(root)} has the line of a block that is not written anew"
        if text != path.read_text(encoding="utf-8"):
            yield f"{path.relative_to(root)} is not what its data say; run experiments/claims.py --write"
    if not written:
        yield "nothing is generated"


def faults_of_changes(root, claims, results):
    """Other measurements have to change verdicts and documents."""
    slower = records(Slower)
    changed = list(claim_model.evaluate(claims, slower))
    if [each.verdict for each in changed] == [each.verdict for each in results]:
        yield "no verdict changes where times are longer"
    before, after = (dict(documents(root, found, of)) for found, of in ((results, records()), (changed, slower)))
    yield from (f"{path.relative_to(root)} does not change where times are longer"
                for path in before if before[path] == after[path])
    lost = list(claim_model.evaluate(claims, records(Lost)))
    if not any(each.verdict == "not measured" and each.missing for each in lost):
        yield "claims without records are not said to be without them"


def faults_of_verdicts():
    for (bounds, theirs, ours), verdict in VERDICTS.items():
        if (found := claim_model.judge(bounds, theirs, ours)) != verdict:
            yield f"{ours} against {theirs} by '{bounds}' is {found}, not {verdict}"
    for value, text in NUMBERS.items():
        if (found := f"{claim_model.Number(value)}") != text:
            yield f"{value} is written {found}, not {text}"


def faults_of_notes(root):
    notes = (root / "thesis_notes.md").read_text(encoding="utf-8")
    if len(notes.encode()) > NOTES_BYTES:
        yield f"thesis_notes.md has {len(notes.encode())} bytes, more than {NOTES_BYTES}"
    yield from (f"thesis_notes.md:{number} has {len(line)} characters"
                for number, line in enumerate(notes.splitlines(), 1) if len(line) > LINE)
    here, paper = set(), ""
    for line in BLOCK.sub("", notes).splitlines():  # the maps, not the claims
        if line.startswith("## "):
            paper = line[3:].split()[0].strip(",:").lower()
        elif line.startswith("| "):
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.strip("| ").split(" | ")[0])
            here |= {f"{paper} {place}" for place in places_in(title)}
    yield from (f"thesis_notes.md has no row on {place}" for place in parts() if place not in here)


def main(root):
    claims = claim_model.load()
    results = list(claim_model.evaluate(claims, records()))
    faults = [*faults_of_claims(claims, results, root), *faults_of_texts(), *faults_of_documents(root, results),
              *faults_of_changes(root, claims, results), *faults_of_verdicts(), *faults_of_notes(root)]
    return report(faults, f"{len(claims)} claims, ") or not claims


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
