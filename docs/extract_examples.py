#!/usr/bin/env python3
"""Extracts the files that a page shows.

A code block whose first line is `// <path>` is that file; a `diff` block is a patch of the file that
its first line, `--- <path>`, names. Hunks are separated by `@@`. The old lines of a hunk must occur in
the file exactly once, so that the page cannot become outdated. The number of blanks before a `//` is
ignored: clang-format aligns such comments in lists.

Usage: extract_examples.py <page> <root of the tree> <folder for the files>
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def apply(diff, path, text):
    """Applies all hunks of `diff` to `text`, the content of `path`; raises ValueError if one does not fit."""
    for hunk in re.split(r"^@@\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        places = list(re.finditer(re.sub(r"(\\ )+//", " +//", re.escape(old)), text))
        if len(places) != 1:
            raise ValueError(f"these lines are {len(places)} times in {path}, and have to be once; "
                             f"the page shows them:\n{old}")
        text = text[:places[0].start()] + new + text[places[0].end():]
    return text


def files_of(page, root):
    """Yields path and text of every file that the page shows."""
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        first, _, rest = block.partition("\n")
        if language == "diff" and first.startswith("--- "):
            path = first[4:]
            yield path, apply(rest, path, (root / path).read_text(encoding="utf-8"))
        elif first.startswith("// "):
            yield first[3:], rest


def main(page, root, folder):
    found = False
    try:
        for path, text in files_of(pathlib.Path(page), pathlib.Path(root)):
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            found = True
    except (OSError, ValueError) as error:
        sys.exit(f"{page}: {error}")
    if not found:
        sys.exit(f"{page}: shows no file")


if __name__ == "__main__":
    main(*sys.argv[1:])
