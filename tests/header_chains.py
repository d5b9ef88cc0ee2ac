"""Few translation units that show that each header compiles alone.

    header_chains.py ROOT EXTENSION FOLDER...   prints a chain of headers per line
    header_chains.py ROOT --check UNIT...       fails if a unit is not such a chain any more

In a chain, each header includes all headers before it, directly or through others. When its turn comes,
nothing is declared that it does not include itself, so that it compiles if and only if it does alone.
The number of chains is the least possible (Dilworth, by a matching of each header with the next one).
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'#include "([^"]+)"')


class Headers:
    def __init__(self, root):
        self.root = root
        self.known = {}

    def named(self, name, by):
        """The path of an included header from the root; nothing for one of another project."""
        beside = (self.root / by).parent / name
        for path in (self.root / name, beside):
            if path.is_file():
                return str(path.resolve().relative_to(self.root))
        return None

    def direct(self, header):
        """The headers of the project that it includes whatever is defined."""
        depth = 0
        for line in (self.root / header).read_text(encoding="utf-8").splitlines():
            depth += line.startswith("#if") - line.startswith("#endif")
            match = INCLUDE.match(line)
            found = self.named(match[1], header) if match and depth == 0 else None
            if found:
                yield found

    def included(self, header):
        """All headers that it includes, directly or through others."""
        if header not in self.known:
            self.known[header] = set()
            for one in self.direct(header):
                self.known[header] |= {one} | self.included(one)
        return self.known[header]


def chains(headers, names):
    names = sorted(names)
    before = {}  # the header that follows each one in its chain

    def match(header, seen):
        for other in sorted(headers.included(header).intersection(names) - seen):
            seen.add(other)
            if other not in before or match(before[other], seen):
                before[other] = header
                return True
        return False

    for header in names:
        match(header, set())
    for first in sorted(set(names) - set(before.values())):
        chain = [first]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        yield chain


def check(headers, unit):
    chain = list(dict.fromkeys(INCLUDE.findall(unit.read_text(encoding="utf-8"))))
    for first, second in zip(chain, chain[1:]):
        if first not in headers.included(second):
            sys.exit(f"{unit}: {second} does not include {first} any more; configure again")


def main():
    headers = Headers(Path(sys.argv[1]).resolve())
    if sys.argv[2] == "--check":
        units = [Path(unit) for unit in sys.argv[3:]]
        for unit in units:
            check(headers, unit)
        print(f"{len(units)} units are chains")
        return
    names = [
        str(path.relative_to(headers.root))
        for folder in sys.argv[3:]
        for path in (headers.root / folder).rglob(f"*.{sys.argv[2]}")
        if "third_party" not in path.parts and "drivers" not in path.parts
    ]
    for chain in chains(headers, names):
        print(" ".join(chain))


if __name__ == "__main__":
    main()
