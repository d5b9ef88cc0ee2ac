#!/usr/bin/env python3
"""Prints the bytes of compressed device code in a program or library, by architecture; PTX is marked.

Usage: fatbin_sizes.py FILE
"""

import collections
import pathlib
import struct
import sys

MAGIC = struct.pack("<I", 0xBA55ED50)  # begins each container that nvcc makes
PTX = 1


def sizes(data):
    """(architecture, kind) -> bytes of all entries."""
    found = collections.Counter()
    at = data.find(MAGIC)
    while at >= 0:
        _, version, header, total = struct.unpack_from("<IHHQ", data, at)
        if version == 1 and header == 16:
            entry, end = at + header, at + header + total
            while entry < end:
                kind, _, entry_header, size = struct.unpack_from("<HHIQ", data, entry)
                (architecture,) = struct.unpack_from("<I", data, entry + 28)
                found[architecture, kind] += size
                entry += entry_header + size
        at = data.find(MAGIC, at + len(MAGIC))
    return found


def main(path):
    found = sizes(pathlib.Path(path).read_bytes())
    for (architecture, kind), size in sorted(found.items()):
        print(f"{'compute' if kind == PTX else 'sm'}_{architecture}: {size} bytes")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
