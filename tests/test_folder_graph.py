#!/usr/bin/env python3
"""Checks that scripts/folder_graph.py finds back edges, however their includes are spelled.

Makes small trees with one include planted in each, and prints one line for each that is taken for
something else; exits with 1 when there is any.

Usage: test_folder_graph.py [root of the tree]
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(ROOT / "scripts"))
import folder_graph  # noqa: E402

FILES = ("construction/table.hpp", "cli/numbers.hpp", "cli/output.hpp", "registry/methods.hpp",
         "wrsgpu/types.hpp", "wrsgpu/sampler.hpp", "wrsgpu/detail/core/float.hpp", "wrsgpu/detail/masses/mass.hpp",
         "verification/tests.hpp", "verification/drivers/driver.hpp",
         "verification/drivers/methods/draw.cpp")
BACK = "construction -> cli goes back: construction/table.hpp includes cli/numbers.hpp"
# What construction/table.hpp includes; each is a back edge.
SPELLINGS = (
    '#include "cli/numbers.hpp"',
    '# include "cli/numbers.hpp"',
    '  #include "cli/numbers.hpp"',
    '\t#\tinclude\t"cli/numbers.hpp"',
    '#include"cli/numbers.hpp"',
    '#include "cli/numbers.hpp"  // numbers',
    '#include <cli/numbers.hpp>',
    '# include <cli/numbers.hpp>',
    '#include <numbers.hpp>',
    '#include <../cli/numbers.hpp>',
    '#include "../cli/numbers.hpp"',
    '#include "./../cli/numbers.hpp"',
    '#include "construction/../cli/numbers.hpp"',
    '#include "cli/../cli/numbers.hpp"',
    '#include "registry/../cli/./numbers.hpp"',
    '#include "cli//numbers.hpp"',
    '/* numbers */ #include "cli/numbers.hpp"',
    '#/* of the program */include /**/ "cli/numbers.hpp"',
    '#include \\\n  "cli/numbers.hpp"',
    '#\\\ninclude "cli/numbers.hpp"',
    '%:include "cli/numbers.hpp"',
    '#import "cli/numbers.hpp"',
    '#include_next "cli/numbers.hpp"',
    '#ifdef WRSGPU_WITH_CUDA\n#  include "cli/numbers.hpp"\n#endif',
    '#pragma once\r\n#include "cli/numbers.hpp"\r\n',
)
# (file, what it includes, part of the message)
WRONG = (
    ("construction/table.hpp", '#include "numbers.hpp"', '"numbers.hpp" is neither'),
    ("construction/table.hpp", '#include "cli/absent.hpp"', '"cli/absent.hpp" is neither'),
    ("construction/table.hpp", "#include <cli/absent.hpp>", "<cli/absent.hpp> is no path of the tree"),
    ("construction/table.hpp", "#include <../absent.hpp>", "<../absent.hpp> is no path of the tree"),
    ("construction/table.hpp", "#include NUMBERS", "the include of NUMBERS names no file"),
    ("construction/table.hpp", '#include "vector"', '"vector" is neither'),
    ("cli/numbers.hpp", '#include "./output.hpp"', 'must be "cli/output.hpp" or a bare name'),
    ("cli/numbers.hpp", "#include <output.hpp>", 'must be "cli/output.hpp"'),
    ("verification/drivers/methods/draw.cpp", '#include "../driver.hpp"',
     'must be "verification/drivers/driver.hpp"'),
    ("verification/drivers/methods/draw.cpp", '#include "output.hpp"', '"output.hpp" is neither'),
    ("verification/tests.hpp", '#include "verification/drivers/driver.hpp"',
     "verification -> verification/drivers goes back"),
    ("cli/numbers.hpp", '#include "verification/drivers/driver.hpp"', "cli -> verification/drivers goes back"),
    ("cli/numbers.hpp", '#include "registry/methods.hpp"', "cli -> registry goes back"),
    ("construction/table.cu.in", '#include "cli/numbers.hpp"', "construction -> cli goes back"),
    # All may include the types; the types themselves may not include everything.
    ("wrsgpu/types.hpp", '#include "wrsgpu/detail/masses/mass.hpp"',
     "wrsgpu/detail/core -> wrsgpu/detail/masses goes back: wrsgpu/detail/core/float.hpp includes "
     "wrsgpu/types.hpp, which includes wrsgpu/detail/masses/mass.hpp"),
    ("wrsgpu/types.hpp", '#include "cli/numbers.hpp"', "wrsgpu -> cli goes back"),
    # A folder of the library has a place in LAYERS, and does not count as the public one.
    ("wrsgpu/detail/new/list.hpp", "", "wrsgpu/detail/new/list.hpp: in no folder of LAYERS"),
    ("wrsgpu/detail/segments/rows.hpp", '#include "wrsgpu/sampler.hpp"', "segments -> wrsgpu goes back"),
)
RIGHT = (
    ("cli/numbers.hpp", '#include "output.hpp"\n#include "cli/output.hpp"\n#include <vector>'),
    ("cli/numbers.hpp", '#include <CLI/CLI.hpp>\n#include <boost/math/constants.hpp>\n#include <unistd.h>'),
    ("cli/numbers.hpp", '// #include "registry/methods.hpp"\nconst char* text = "#include <registry/methods.hpp>";'),
    ("cli/numbers.hpp", '#include "verification/tests.hpp"\n#include "wrsgpu/types.hpp"'),
    ("verification/drivers/methods/draw.cpp", '#include "cli/numbers.hpp"\n#include "registry/methods.hpp"'),
    ("verification/drivers/driver.hpp", '#include "wrsgpu_commit.hpp"'),
    ("wrsgpu/types.hpp", '#include "wrsgpu/detail/core/float.hpp"'),
)


def plant(root, file, text):
    """A tree in `root` where one file has this text."""
    for name in (*FILES, file):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    (root / "wrsgpu/detail/core/float.hpp").write_text('#include "wrsgpu/types.hpp"\n', encoding="utf-8")
    (root / file).write_text(text + "\n", encoding="utf-8", newline="")


def problems_of(file, text):
    """What the script finds in such a tree."""
    with tempfile.TemporaryDirectory() as folder:
        plant(pathlib.Path(folder), file, text)
        return "\n".join(folder_graph.check(pathlib.Path(folder))[1])


def status(script, text, readme):
    """The exit status of the script for construction/table.hpp with this text."""
    with tempfile.TemporaryDirectory() as folder:
        plant(pathlib.Path(folder), "construction/table.hpp", text)
        pathlib.Path(folder, "README.md").write_text(readme, encoding="utf-8")
        return subprocess.run([sys.executable, script, folder], capture_output=True).returncode


def main():
    planted = [("construction/table.hpp", spelling, BACK) for spelling in SPELLINGS]
    failures = []
    for file, text, message in (*planted, *WRONG):
        said = problems_of(file, text)
        if message not in said:
            failures.append(f"{file} with {text!r}: not '{message}' but '{said}'")
    for file, text in RIGHT:
        said = problems_of(file, text)
        if said:
            failures.append(f"{file} with {text!r} is right, but: {said}")
    readme = f"```text\n{'construction':22} -> {{}}\n```\n"
    for text, arrow, expected in (('#include "wrsgpu/detail/core/float.hpp"', "wrsgpu", 0),
                                  ('#include "wrsgpu/detail/core/float.hpp"', "cli", 1),
                                  ('#include "cli/numbers.hpp"', "cli", 1)):
        if status(folder_graph.__file__, text, readme.format(arrow)) != expected:
            failures.append(f"{text} with the arrow to {arrow} in the README: exit status not {expected}")
    print("\n".join(failures) or f"{len(planted) + len(WRONG)} planted includes are found")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
