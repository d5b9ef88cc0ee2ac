"""The scripts of plots/, by what they draw from; and which of them, and of the experiments, a claim is from,
by the names that scripts/reproduce.sh takes."""

import ast
import functools


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
            node.targets[0].id: tuple(f"{kind}/{name.partition('.')[0]}"
                                      for kind, name in ast.literal_eval(node.value))
            for node in nodes if isinstance(node, ast.Assign)
            and getattr(node.targets[0], "id", "") in ("NEEDS", "IF_THERE")}
    return found


def figures(root, which="NEEDS"):
    """name -> kind/experiment of each record that it needs, or with IF_THERE of those without which it
    shows less, if there are any."""
    return {name: constants[which] for name, constants in constants_of(root / "plots").items()
            if which in constants}


def sources_of(result, known):
    """The figure of `known` that shows what was claimed, if there is one, and the experiments beside those
    that it draws."""
    drawn = known.get(result.claim.figure, ())
    shown = [result.claim.figure] if result.records.intersection(drawn) else []
    return [*shown, *sorted(key.split("/")[1] for key in result.records.difference(drawn if shown else ()))]
