#!/usr/bin/env python3
"""Prints which folder includes headers of which, and fails where an arrow goes back.

It fails, too, where the README shows another graph than --markdown prints.

An arrow `a -> b` says that a file of the folder a includes one of b. LAYERS lists the folders from
the bottom to the top; arrows go from a layer to the ones below it, and USES names the folders that
may use less than that. An include of a header of VOCABULARY counts as includes of what that header
includes. A folder that stands nowhere is an error, too.

Includes are written as paths from the root of the tree or, in the same folder, as bare names; any
other spelling is an error, and its arrow is found all the same. So is a name in quotes that is
neither a file of the tree nor GENERATED, and one in angle brackets that only an include directory
inside the tree could resolve.

Usage: folder_graph.py [--markdown] [root of the tree]
"""

import collections
import pathlib
import posixpath
import re
import sys

LAYERS = (
    ("wrsgpu/detail/core", "wrsgpu/detail/third_party"),
    ("wrsgpu/detail/random",),
    ("wrsgpu/detail/table", "wrsgpu/detail/shuffle", "wrsgpu/detail/resampling"),
    ("wrsgpu/detail/masses", "wrsgpu/detail/weights"),
    ("wrsgpu/detail/counts", "wrsgpu/detail/without_replacement"),
    ("wrsgpu/detail/sharding",),
    ("wrsgpu/detail/merge",),
    ("wrsgpu/detail/warp_pairing",),
    ("wrsgpu/detail/host_sweep",),
    ("wrsgpu/detail/build", "wrsgpu/detail/segments", "wrsgpu/detail/sampling"),
    ("wrsgpu",),
    ("verification", "prefixsum", "construction", "shuffle"),
    ("cpu_reference",),
    ("sampling",),
    ("registry",),
    ("cli",),
    ("examples", "experiments", "python/src", "verification/drivers"),
    ("tests",),
)
# Headers of the library's public folder that say what everything speaks of: any folder uses them.
VOCABULARY = {f"wrsgpu/{name}.hpp"
              for name in ("communicator", "error", "interrupt", "random_state", "sampler_options",
                           "segments_view", "types", "weight_file", "weights_view")}
# Headers that the build writes.
GENERATED = {"wrsgpu_commit.hpp"}
LIBRARY = {folder for layer in LAYERS[:LAYERS.index(("wrsgpu",)) + 1] for folder in layer}
USES = {
    "cli": LIBRARY | {"verification"},
    "examples": LIBRARY | {"verification"},
    "python/src": LIBRARY,
    "verification": LIBRARY,
    "prefixsum": LIBRARY,
    "construction": LIBRARY,
    "shuffle": LIBRARY,
}
SUFFIXES = (".hpp", ".cpp", ".cuh", ".cu", ".h", ".c", ".inc")
# With blanks, comments and line ends escaped by a backslash wherever the compiler takes them.
BLANKS = r"(?:[ \t]|\\\r?\n|/\*(?:[^*]|\*(?!/))*\*/)*"
INCLUDE = re.compile(rf"^{BLANKS}(?:#|%:){BLANKS}(?:include_next|include|import)\b{BLANKS}"
                     r'(?:(["<])([^">\n]+)[">]|([^\n]*))', re.MULTILINE)
LEVEL = {folder: level for level, layer in enumerate(LAYERS) for folder in layer}


def folder_of(path):
    """The longest folder of LAYERS that the file lies in, or None; those of wrsgpu/detail stand there."""
    found = next((str(parent) for parent in pathlib.PurePosixPath(path).parents
                  if str(parent) in LEVEL), None)
    return None if found == "wrsgpu" and path.startswith("wrsgpu/detail/") else found


def sources(root):
    for top in sorted({folder.split("/")[0] for folder in LEVEL}):
        for path in sorted((root / top).rglob("*")):
            if path.name.removesuffix(".in").endswith(SUFFIXES) and path.is_file():
                yield path.relative_to(root).as_posix()


def resolve(path, mark, name, files):
    """The file of the tree that the include means, or None, and what is wrong with it, or None."""
    folder = posixpath.dirname(path)
    from_folder = posixpath.normpath(posixpath.join(folder, name))
    from_root = posixpath.normpath(name)
    target = next((file for file in (from_folder, from_root) if file in files), None)
    if target:
        same = posixpath.dirname(target) == folder
        if mark == '"' and (name == target or same and "/" not in name):
            return target, None
        return target, f'must be "{target}"{" or a bare name in quotes" if same else ""}'
    if mark == '"':
        return None, None if name in GENERATED else "is neither a path of the tree nor in the file's folder"
    # In angle brackets: a header of the system, unless an include directory could make it one of ours.
    ending = "/" + from_root.removeprefix("../")
    hidden = sorted(file for file in files if file.endswith(ending))
    if hidden:
        return hidden[0], f'must be "{hidden[0]}"'
    top = from_root.split("/")[0]
    if top == ".." or "/" in from_root and top in {folder.split("/")[0] for folder in LEVEL}:
        return None, "is no path of the tree"
    return None, None


def includes(root, problems):
    """file -> the files of the tree that it includes."""
    files = set(sources(root))
    found = {}
    for path in sorted(files):
        found[path] = []
        for match in INCLUDE.finditer((root / path).read_text(encoding="utf-8")):
            mark, name, other = match.groups()
            if not mark:
                problems.append(f"{path}: the include of {other.strip()} names no file")
                continue
            target, wrong = resolve(path, mark, name, files)
            if wrong:
                problems.append(f"{path}: {mark}{name}{'>' if mark == '<' else mark} {wrong}")
            if target and target not in found[path]:
                found[path].append(target)
    return found


def through_vocabulary(path, found, seen):
    """(file, text that says over which headers) for what the file includes."""
    for name in found[path]:
        if name not in VOCABULARY:
            yield name, name
        elif name not in seen:
            seen.add(name)
            for reached, text in through_vocabulary(name, found, seen):
                yield reached, f"{name}, which includes {text}"


def arrows(root, problems):
    """(folder, folder) -> the includes that make it."""
    made = collections.defaultdict(list)
    found = includes(root, problems)
    for path in found:
        here = folder_of(path)
        if here is None:
            problems.append(f"{path}: in no folder of LAYERS")
            continue
        for name, text in through_vocabulary(path, found, {path}):
            there = folder_of(name)
            if there not in (here, None):
                made[here, there].append(f"{path} includes {text}")
    return made


def goes_back(here, there):
    return LEVEL[there] >= LEVEL[here] or there not in USES.get(here, {there})


def check(root):
    """The arrows of the tree, and what is wrong with them or with the includes, one line each."""
    problems = []
    made = arrows(root, problems)
    for (here, there), reasons in sorted(made.items()):
        if goes_back(here, there):
            problems += [f"{here} -> {there} goes back: {reason}" for reason in reasons]
    return made, problems


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
    made, problems = check(root)
    for_readme = list(lines(made, with_library=False))
    print("\n".join(for_readme if "--markdown" in sys.argv else lines(made, with_library=True)))
    if "\n".join(("```text", *for_readme, "```")) not in (root / "README.md").read_text(encoding="utf-8"):
        problems.append("README.md shows another graph: replace it by what folder_graph.py --markdown prints")
    print("\n".join(problems), file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
