#!/usr/bin/env python3
"""Whether every figure of plots/figures is shown on a page (an image of README.md, thesis_notes.md or
another *.md), every script of plots/ that draws one has its figure there, and every image that a page shows
is there, is drawn by a script of plots/ or by the example of its name and has a text instead of it: of a figure
or table of a paper, which one it is.

Usage: test_shown_figures.py <root of the tree>
"""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

import reproduce
from faults import report
from test_links import lines_outside_code_blocks, markdown_files

IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
OF_PAPER = re.compile(r"(thesis|report|shuffling)_(figure|table)_(\d+(?:_\d+)?)")


def images(root):
    """(page, line, text, path) of each."""
    for page in markdown_files(root):
        for number, line in lines_outside_code_blocks(page):
            for text, target in IMAGE.findall(line):
                path = pathlib.Path(os.path.normpath(os.path.join(os.path.dirname(page), target)))
                yield os.path.relpath(page, root), number, text, path


def text_of(figure):
    """thesis_figure_5_1 -> Thesis, Figure 5.1; nothing for what is in no paper."""
    found = OF_PAPER.fullmatch(figure)
    return f"{found[1].title()}, {found[2].title()} {found[3].replace('_', '.')}" if found else ""


def main(root):
    folder, drawn = root / "plots" / "figures", set(reproduce.figures())
    shown, faults = set(), []
    for page, number, text, path in images(root):
        where, what = f"{page}:{number}", os.path.relpath(path, root)
        is_of_example = path.parent == root / "examples" and path.with_suffix(".py").is_file()
        if not is_of_example and (path.parent != folder or path.stem not in drawn):
            faults.append(f"{where}: {what} is drawn by no script of plots/ or examples/")
        elif not path.is_file():
            faults.append(f"{where}: {what} is not there")
        elif not text:
            faults.append(f"{where}: {what} has no text")
        elif text != (text_of(path.stem) or text):
            faults.append(f"{where}: {what} is called '{text}', not '{text_of(path.stem)}'")
        shown.add(path.stem)
    files = {path.stem for path in folder.iterdir() if path.suffix in (".png", ".svg")}
    faults += [f"plots/figures/{name}.png is shown on no page" for name in sorted((files | drawn) - shown)]
    faults += [f"plots/{name}.py has no plots/figures/{name}.png"
               for name in sorted(drawn) if not (folder / f"{name}.png").is_file()]
    return report(faults, f"{len(drawn)} figures, ") or not drawn


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
