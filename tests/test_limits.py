#!/usr/bin/env python3
"""Whether the limits that the documents state are those of the code: each is read from the constant that has
it, and the words made from it must be in the document.

Usage: test_limits.py <root of the tree>
"""

import fractions
import pathlib
import re
import sys

from faults import report

HEX = r"0x1p-(\d+)"
BOUND = (rf"return ([\d.]+) \+ {HEX} \* static_cast<double>\(items\) \+ {HEX} \* exact_mass;")
MASSES = "wrsgpu/detail/masses/mass_tiles.hpp"
ROWS = "wrsgpu/detail/table/rows.hpp"
README, MERGE = "README.md", "docs/merge_construction.md"


def bound(document):
    """`mass_bound`, in the words of a document."""
    def words(constant, items, own):
        constant = fractions.Fraction(constant)
        largest = float(constant) + 1e8 / 2 ** int(items) + 2 ** (32 - int(own))
        return {MASSES: (f"|q_i - m_i| < {constant} + N / 2^{items} + m_i / 2^{own}.",),
                README: (f"by less than {constant} + N/2^{items} units of 2^-32 of the mean probability and "
                         f"2^-{own} of its own",),
                MERGE: (f"|q_i - m_i| < {constant} + N/2^{items} + m_i/2^{own}.",
                        f"For 10^8 items that is {largest:.1f} of the 2^32 units of a bucket")}[document]
    return words


# Where the constant is, as what, where it is stated, and the words, from what the parentheses of the pattern
# have.
LIMITS = (
    *((MASSES, BOUND, document, bound(document)) for document in (MASSES, README, MERGE)),
    (ROWS, r"fixed_bucket = std::uint64_t\{1\} << (\d+);", README,
     lambda power: (f"units of 2^-{power} of the mean probability",)),
    (ROWS, r"fixed_bucket = std::uint64_t\{1\} << (\d+);", MERGE, lambda power: (f"Let C = 2^{power}",)),
    (MASSES, r"mass_tile_items = (\d+);", MERGE,
     lambda items: (f"a tile being {int(items):,} neighbouring items",)),
    ("wrsgpu/detail/merge/tile_sequences.cuh", r"donor_capacity = threads == 128 \? \d+ : (\d+);", MERGE,
     lambda donors: (f"a block now merges up to {donors} donors",)),
    ("wrsgpu/types.hpp", r"max_items = (0x[\dA-F']+)ULL;", README,
     lambda items: (f"At most 2^32 − {2**32 - int(items.replace(chr(39), ''), 16)} items",)),
    ("wrsgpu/detail/shuffle/round_keys.hpp", r"max_keys = std::uint64_t\{1\} << (\d+);", README,
     lambda power: (f"of up to 2^{power} items",)),
    ("cmake/wrsgpu_options.cmake", r"CMAKE_CUDA_COMPILER_VERSION VERSION_LESS ([\d.]+)\)", README,
     lambda version: (f"`nvcc` ({version} or newer)",)),
    ("cmake/wrsgpu_targets.cmake", r"find_package\(Boost ([\d.]+) REQUIRED\)", README,
     lambda version: (f"The headers of Boost must be {version} or newer",)),
)


def faults_of_timing(root):
    """Whether experiments/README.md names the programs whose times are without the host's launches."""
    hiding = [path.stem for path in sorted((root / "experiments").glob("*.c*"))
              if ".hides_launches = true" in path.read_text()]
    stated = f"{', '.join(f'`{name}`' for name in hiding)} and `peers.py` hold the stream"
    if stated not in (root / "experiments/README.md").read_text():
        yield f"experiments/README.md: does not say: {stated}"


def main(root):
    faults = [*faults_of_timing(root)]
    for place, pattern, document, words in LIMITS:
        found = re.findall(pattern, (root / place).read_text())
        if len(found) != 1:
            faults.append(f"{place}: {len(found)} times, not once: {pattern}")
            continue
        text = re.sub(r"\s*\n(?://)?\s*", " ", (root / document).read_text())
        for stated in words(*found[0]) if isinstance(found[0], tuple) else words(found[0]):
            if stated not in text:
                faults.append(f"{document}: does not say, of {place}: {stated}")
    print(f"{len(LIMITS)} limits")
    return report(faults)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
