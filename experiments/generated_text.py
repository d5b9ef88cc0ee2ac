"""What documents hold that is made from claims and records. A document has it between two lines:

  <!-- generated: claims thesis 5 -->     the claims of chapter 5, a table
  <!-- generated: selection readme -->    those that texts.toml lists under this name, a short table
  <!-- generated: counts -->              how many claims have which verdict
  <!-- generated: text headline -->       text of experiments/claims/texts.toml with its numbers
  <!-- generated: grid peers -->          table of the same file, an expression evaluated for each cell
  <!-- end -->

`experiments/claims.py --write` writes it; tests/test_claims.py compares. texts.toml has, beside `define` (see
claim_model.py), for each selection the ids of claims; for each text its `text` with {names} and its `numbers`; for
each grid the heading of its first column, `corner`, its `columns` and `rows` (a list of titles, or title -> value),
and `cell`, an expression with the values `row` and `column`."""

import collections
import re

from claim_model import CLAIMS, IN_WORDS, Evaluator, fill, read
from claim_sources import sources_of

BLOCK = re.compile(r"(<!-- generated: ([\w ./-]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def quantity(number, unit):
    """A number with its unit, as tables have it."""
    if number is None:
        return "–"
    if unit == "%":
        return f"{float(number):.3g}%"
    return f"{number}" if unit == "-" else f"{number} {unit}"


def published(result):
    return IN_WORDS if result.published is None else quantity(result.published, result.claim.unit)


def verdict(result):
    return f"{result.verdict}{' ?' if result.noisy else ''}"


def counts(results):
    found = collections.Counter(each.verdict for each in results)
    return f"{len(results)} claims: " + ", ".join(f"{found[name]} {name}" for name in sorted(found))


def table(rows):
    """Markdown; the first row is the heading."""
    heading, *rest = rows
    return "".join(f"| {' | '.join(row)} |\n" for row in (heading, ["---"] * len(heading), *rest))


def claims_table(results):
    with_theirs = any(each.theirs is not None for each in results)
    rows = [["Where", "Claim", "Published", *["Their program here"] * with_theirs, "Ours", "Verdict", "Judgement"]]
    linked = {""}  # a figure is linked once
    for each in results:
        claim = each.claim
        is_new = claim.figure not in linked
        linked.add(claim.figure)
        place = f"[{claim.place}](plots/figures/{claim.figure}.png)" if is_new else claim.place
        theirs = [quantity(each.theirs, claim.unit)] * with_theirs
        rows.append([place, claim.says, published(each), *theirs, quantity(each.ours, claim.unit), verdict(each),
                     each.judgement or each.missing])
    return table(rows)


def made_by(result):
    """The figure that shows it, or the experiments, as scripts/reproduce.sh takes them."""
    name = result.claim.figure
    if name:
        return f"[{name}](plots/figures/{name}.png)"
    return ", ".join(f"`{each}`" for each in sources_of(result, {}))


def selected_table(results, ids):
    found = {each.claim.id: each for each in results}
    if unknown := [name for name in ids if name not in found]:
        raise ValueError(f"there is no claim {', '.join(unknown)}")
    rows = [["claim", "published", "ours", "verdict", "made by"]]
    for each in map(found.get, ids):
        rows.append([f"{each.claim.says} ({each.claim.paper} {each.claim.place})", published(each),
                     quantity(each.ours, each.claim.unit), verdict(each), made_by(each)])
    return table(rows)


def in_chapter(claim, chapter):
    return not chapter or claim.place == chapter or claim.place.startswith((f"{chapter}.", f"{chapter} "))


def grid(spec, evaluator):
    def titles(axis):
        found = spec[axis]
        return list(found.items()) if isinstance(found, dict) else [(title, title) for title in found]
    columns = titles("columns")
    rows = [[spec["corner"], *(title for title, _ in columns)]]
    for title, row in titles("rows"):
        cells = (evaluator.number(spec["cell"], row=row, column=column) for _, column in columns)
        rows.append([title, *(f"{cell}" for cell in cells)])
    return table(rows)


class Generator:
    def __init__(self, results, records):
        self.results = results
        self.texts = read(CLAIMS / "texts.toml")
        self.evaluator = Evaluator(records, self.texts.get("define", {}))

    def __call__(self, directive):
        kind, *words = directive.split()
        if kind == "counts":
            return counts(self.results) + ".\n"
        if kind == "claims":
            paper, *chapter = words
            found = [each for each in self.results
                     if each.claim.paper == paper and in_chapter(each.claim, " ".join(chapter))]
            if not found:
                raise ValueError(f"there is no claim for '{directive}'")
            return claims_table(found)
        spec = self.texts[kind][words[0]]
        if kind == "selection":
            return selected_table(self.results, spec)
        if kind == "text":
            return fill(spec["text"], self.evaluator, spec.get("numbers", {}))
        return grid(spec, self.evaluator)


def documents(root, results, records):
    """(path, text with what is generated) of each document that has such lines."""
    generate = Generator(results, records)
    for path in (root / "README.md", root / "thesis_notes.md", *sorted((root / "docs").glob("*.md")),
                 *sorted((root / "experiments").glob("**/README.md"))):
        text = path.read_text(encoding="utf-8")
        try:
            made = BLOCK.sub(lambda found: found[1] + generate(found[2]) + found[3], text)
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path.relative_to(root)}: {error}") from error
        if BLOCK.search(text):
            yield path, made
