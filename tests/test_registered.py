#!/usr/bin/env python3
"""Checks that the registries list everything that is defined: what no registry lists is compiled, but
neither run nor tested.

Usage: test_registered.py [root of the tree]
"""

import pathlib
import re
import sys

# Files, the definition in them, the registry, and its entry, in which `{}` stands for the name.
RULES = (
    ("construction/split/*.cu", r"\bSplitMethod (\w+_method)\(\) \{", "construction/split/methods.cu", "  {}(),"),
    ("construction/pack/*.cu", r"\bPackMethod (\w+_method)\(\) \{", "construction/pack/methods.cu", "  {}(),"),
    ("prefixsum/*.hpp", r"(?<!>\n)^struct (\w+) \{\n  static constexpr .* name\b", "prefixsum/registry.cpp",
     "describe<{}>()"),
    ("sampling/*.cu", r"\bGpuSamplerInfo (\w+)\(\) \{", "registry/gpu_samplers.cu", "  {}(),"),
    ("registry/library_gpu_samplers.cu", r"\bGpuSamplerInfo (\w+)\(\) \{", "registry/gpu_samplers.cu", "  {}(),"),
    ("cpu_reference/*.hpp", r"^class (\w+) final : public Sampler\b", "registry/samplers.cpp", "<{}>"),
    ("wrsgpu/detail/sampling/*.hpp", r"^class (\w+) final : public Sampler\b", "registry/samplers.cpp", "<{}>"),
    ("cpu_reference/*.hpp", r"^class (\w+) final : public (?!Sampler\b)", "registry/cpu_methods.cpp",
     "make_table<{}>"),
    ("wrsgpu/detail/weights/distributions/*.hpp",
     r"^(?:struct|class) (\w+) \{(?:(?!^\};).)*?\bstatic DistributionInfo info\(\)",
     "wrsgpu/detail/weights/weight_function.hpp", "    {}"),
)


def unlisted(root):
    for files, definition, registry, entry in RULES:
        listed = (root / registry).read_text(encoding="utf-8")
        found = [(path, name) for path in sorted(root.glob(files)) for name in re.findall(
            definition, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)]
        if not found:
            yield f"{files}: nothing is defined there that {registry} could list"
        for path, name in found:
            if not re.search(rf"{re.escape(entry.format(name))}(?!\w)", listed):
                yield f"{path.relative_to(root)}: {name} is not listed in {registry}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = list(unlisted(root))
    print("\n".join(problems) or "all that can be listed by name is listed")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
