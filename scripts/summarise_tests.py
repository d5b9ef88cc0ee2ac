"""Prints the skipped and failed tests of a JUnit file that ctest wrote, then one line of counts.

The exit status is 0 only when at least one test passed and none failed.
"""

import collections
import re
import sys
import xml.etree.ElementTree as ElementTree

MOST_NAMES = 20  # that are printed for one reason


def skip_reason(case):
    """The message of GTEST_SKIP, which GoogleTest prints between its place and its verdict, or the
    error of a program that needs a GPU.

    A name that the message begins with and the test's name holds as well is left out, so that the
    same test of many variants is one group.
    """
    output = case.findtext("system-out") or ""
    found = re.search(r": Skipped\n(.*?)\n*\[  SKIPPED \]", output, re.DOTALL)
    found = found or re.search(r"(device 'cuda' is not available: .*)", output)
    found = found or re.search(r"skipped: (.*)", output)  # by an experiment or a test in Python
    words = found.group(1).split() if found else ["no", "reason", "given"]
    return " ".join(words[1:] if words[0] in case.get("name") else words)


def name_of(case):
    """Without what ctest appends for a parameter that GoogleTest cannot print."""
    return case.get("name").split("  # GetParam()")[0]


def main(path):
    skipped = collections.defaultdict(list)
    failed = []
    passed = 0
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results: {error}", file=sys.stderr)
        cases = []
    for case in cases:
        status = case.get("status")
        message = case.find("skipped").get("message", "") if status == "notrun" else ""
        if status == "run":
            passed += 1
        elif status == "disabled":
            skipped["disabled"].append(name_of(case))
        elif message.startswith("SKIP_"):  # the test itself said so, not ctest
            skipped[skip_reason(case)].append(name_of(case))
        else:
            failed.append(name_of(case))
    for reason, names in skipped.items():
        print(f"skipped ({len(names)}): {reason}")
        for name in names[:MOST_NAMES]:
            print(f"  {name}")
        if len(names) > MOST_NAMES:
            print(f"  ... and {len(names) - MOST_NAMES} more")
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")
    return 0 if passed > 0 and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
