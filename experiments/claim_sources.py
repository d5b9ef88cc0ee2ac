"""The scripts of plots/, by what they draw from; and which of them, and of the experiments, a claim is from,
by the names that scripts/reproduce.sh takes."""

import ast
import functools
import re

PAPERS = ("thesis", "report", "shuffling")


@functools.cache
def constants_of(scripts):
    """name -> {"NEEDS": (kind/experiment, ...), ...} of each script in the folder. Read without running
    them, so that Matplotlib need not be there."""
    found = {}
    for path in sorted(scripts.glob("*.py")):
        try:
            nodes = ast.parse(path.read_text(encoding="utf-8")).body
        except SyntaxError as error:
            raise ValueError(f"{path}: {error}") from error
        found[path.stem] = {
            node.targets[0].id: tuple(f"{kind}/{name.removesuffix('.csv')}"
                                      for kind, name in ast.literal_eval(node.value))
            for node in nodes if isinstance(node, ast.Assign)
            and getattr(node.targets[0], "id", "") in ("NEEDS", "IF_THERE")}
    return found


def figures(root, which="NEEDS"):
    """name -> kind/experiment of each record that it needs, or with IF_THERE of those without which it
    shows less, if there are any."""
    return {name: constants[which] for name, constants in constants_of(root / "plots").items()
            if which in constants}


def figures_in(paper, title):
    """The names of those that a title speaks of: "5.3, Figures 5.7 and 5.8"."""
    listed = re.findall(r"(Table|Figure)s? (\d[\d.]*(?:(?:, | and )\d[\d.]*)*)", title)
    return [f"{paper}_{kind}_{number}".lower().replace(".", "_")
            for kind, numbers in listed for number in re.split(", | and ", numbers)]


def sources_of(result, known, more=frozenset()):
    """The figure of `known` that shows what was claimed, if there is one, and the experiments beside those
    that it draws; with `more` records, kind/experiment, also of these."""
    claim = result.claim
    paper = claim.place.split()[0]
    named = [claim.figure] if claim.figure else figures_in(paper, f"{claim.place} {claim.row}")
    shown = [name for name in named if result.records.intersection(known.get(name, ()))]
    drawn = {key for name in shown for key in known[name]}
    return [*shown, *sorted(key.split("/")[1] for key in (result.records | more) - drawn)]
