#!/usr/bin/env python3
"""Checks that what the documentation points to exists.

Every relative link in every *.md file, with its anchor, and every path named in a code span
(`folder/file.ext` or `folder/`, from the root of the tree or from the file's folder). Outside of
thesis_notes.md, a path whose first part is no folder of the tree is taken for something that is
made later. Prints one line per broken reference and exits with 1 when there is any.

Usage: test_links.py [root of the tree]
"""

import os
import re
import sys

# Build trees, caches and output: what .gitignore leaves out, and hidden folders.
SKIPPED = re.compile(r"^(\.|build|demo-output$|__pycache__$)")
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
CODE_SPAN = re.compile(r"`([^`]+)`")
# A path, not a benchmark's name: it ends in a file name with an extension, or in a slash.
PATH = re.compile(r"^[\w.+-]+(/[\w.+-]+)*(/|/[\w+-]*\.[\w.]+)$|^[\w-]+\.(md|txt|cpp|hpp)$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def markdown_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not SKIPPED.match(f))
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def lines_outside_code_blocks(path):
    inside = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line.rstrip("\n")


def anchors(path):
    """The anchors of a file's headings, formed as code hosts form them."""
    seen = {}
    for _, line in lines_outside_code_blocks(path):
        match = HEADING.match(line)
        if match:
            text = re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-")
            count = seen.get(text, 0)
            seen[text] = count + 1
            yield text if count == 0 else f"{text}-{count}"


def broken_links(path):
    for number, line in lines_outside_code_blocks(path):
        for target in LINK.findall(CODE_SPAN.sub("", line)):
            if re.match(r"^[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file):
                yield number, f"link to {target}: no such file"
            elif anchor and file.endswith(".md") and anchor not in anchors(file):
                yield number, f"link to {target}: no such heading"


def broken_paths(root, path, every):
    """`every`: also paths that begin with a folder which is not in the tree."""
    bases = [root] if every else [root, os.path.dirname(path)]
    for number, line in lines_outside_code_blocks(path):
        for span in CODE_SPAN.findall(line):
            if not PATH.match(span) or any(os.path.exists(os.path.join(b, span)) for b in bases):
                continue
            if every or any(os.path.isdir(os.path.join(b, span.split("/")[0])) for b in bases):
                yield number, f"path {span}: no such file"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    files = list(markdown_files(root))
    notes = os.path.join(root, "thesis_notes.md")
    if notes not in files:
        sys.exit(f"{notes}: no such file")
    failures = [(path, *found) for path in files for found in broken_links(path)]
    failures += [(path, *found) for path in files
                 for found in broken_paths(root, path, every=path == notes)]
    for path, number, what in failures:
        print(f"{os.path.relpath(path, root)}:{number}: {what}")
    print(f"{len(files)} files, {len(failures)} broken references")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
