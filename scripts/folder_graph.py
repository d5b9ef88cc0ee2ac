#!/usr/bin/env python3
"""Prints which folder includes headers of which, and fails where an arrow goes back.

It fails, too, where the README shows another graph than --markdown prints.

An arrow `a -> b` says that a file of the folder a includes one of b. LAYERS lists the folders from
the bottom to the top; arrows go from a layer to the ones below it, and USES names the folders that
may use less than that. A folder that stands nowhere, and an include that is no path of the tree,
are errors, too.

Usage: folder_graph.py [--markdown] [root of the tree]
"""

import collections
import pathlib
import re
import sys

LAYERS = (
    ("wrsgpu/detail/core", "wrsgpu/detail/third_party"),
    ("wrsgpu/detail/random",),
    ("wrsgpu/detail/table", "wrsgpu/detail/shuffle"),
    ("wrsgpu/detail/masses", "wrsgpu/detail/weights"),
    ("wrsgpu/detail/merge",),
    ("wrsgpu/detail/warp_pairing",),
    ("wrsgpu/detail/host_sweep",),
    ("wrsgpu/detail/build", "wrsgpu/detail/sampling"),
    ("wrsgpu",),
    ("verification", "prefixsum", "construction", "shuffle"),
    ("cpu_reference",),
    ("sampling",),
    ("registry",),
    ("cli", "examples", "experiments", "verification/drivers"),
    ("tests",),
)
# Headers of the library's public folder that say what everything speaks of: any folder uses them.
VOCABULARY = {f"wrsgpu/{name}.hpp"
              for name in ("error", "random_state", "sampler_options", "types", "weight_file",
                           "weights_view")}
LIBRARY = {folder for layer in LAYERS[:9] for folder in layer}
USES = {
    "cli": LIBRARY | {"verification"},
    "examples": LIBRARY | {"verification"},
    "verification": LIBRARY,
    "prefixsum": LIBRARY,
    "construction": LIBRARY,
    "shuffle": LIBRARY,
}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
LEVEL = {folder: level for level, layer in enumerate(LAYERS) for folder in layer}


def folder_of(path):
    """The longest folder of LAYERS that the file lies in, or None."""
    return next((str(parent) for parent in path.parents if str(parent) in LEVEL), None)


def sources(root):
    for top in sorted({folder.split("/")[0] for folder in LEVEL}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".cuh", ".cu"):
                yield path.relative_to(root)


def arrows(root, problems):
    """(folder, folder) -> the includes that make it."""
    made = collections.defaultdict(list)
    for path in sources(root):
        here = folder_of(path)
        for name in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
            if not (root / name).is_file():
                if not (root / path.parent / name).is_file() and "/" in name:
                    problems.append(f"{path}: \"{name}\" is no path of the tree")
                continue
            there = folder_of(pathlib.Path(name))
            if here is None or there is None:
                problems.append(f"{path} or {name}: in no folder of LAYERS")
            elif here != there and name not in VOCABULARY:
                made[here, there].append(f"{path} includes {name}")
    return made


def goes_back(here, there):
    return LEVEL[there] >= LEVEL[here] or there not in USES.get(here, {there})


def lines(made, with_library):
    """One for each folder; of the library's own folders only `with_library`."""
    uses = collections.defaultdict(set)
    for here, there in made:
        inside = here.startswith("wrsgpu")
        if with_library or not inside:
            uses[here].add(there if inside or not there.startswith("wrsgpu") else "wrsgpu")
    for here in sorted(uses, key=lambda folder: (LEVEL[folder], folder)):
        yield f"{here:22} -> {', '.join(sorted(uses[here], key=lambda f: (LEVEL[f], f)))}"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--markdown"]
    root = pathlib.Path(arguments[0] if arguments else ".").resolve()
    problems = []
    made = arrows(root, problems)
    for (here, there), includes in sorted(made.items()):
        if goes_back(here, there):
            problems += [f"{here} -> {there} goes back: {include}" for include in includes]
    for_readme = list(lines(made, with_library=False))
    print("\n".join(for_readme if "--markdown" in sys.argv else lines(made, with_library=True)))
    if "\n".join(("```text", *for_readme, "```")) not in (root / "README.md").read_text(encoding="utf-8"):
        problems.append("README.md shows another graph: replace it by what folder_graph.py --markdown prints")
    print("\n".join(problems), file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
