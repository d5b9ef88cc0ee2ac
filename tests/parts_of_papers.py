"""The parts of the three papers that thesis_notes.md goes through, each with at least one row that it is the
place of. Sections that only have sections are left out."""

import re

PARTS = {
    "thesis": {
        "": "1 1.1.1 1.1.2 1.1.3 1.2 1.2.1 1.2.2 1.3 1.3.1 1.3.2 1.3.3 1.3.4 1.4 1.4.1 1.4.2 1.5 "
            "2.1 2.2 2.3 2.4 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.5 2.6 2.7 2.8 "
            "2.9.1 2.9.2 2.9.3 2.9.4 2.9.5 2.9.6 2.9.7 2.9.8 "
            "3.1.1 3.1.2 3.1.3 3.2.1 3.2.2 3.2.3 3.2.4 3.2.5 3.3 3.4.1 3.4.2 3.4.3 3.4.4 "
            "4.1 4.2 4.3 4.4.1 4.4.2 4.5.1 4.5.2 4.5.3 4.5.4 4.5.5 4.6 4.7.1 4.7.2 4.7.3 "
            "4.8.1 4.8.2 4.8.3 4.8.4 4.8.5 4.9 "
            "5.1 5.2.1 5.2.2 5.2.3 5.2.4 5.2.5 5.2.6 5.2.7 5.3 5.3.1 5.3.2 5.3.3 5.4 6 7.1 7.2 7.3",
        "Figure ": "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 2.1 4.1 4.2 4.3 4.4 4.5 4.6 "
                   "5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 5.10",
        "Table ": "4.1 5.1 5.2 5.3 5.4 5.5",
        "Algorithm ": "1.1 1.2 3.1 3.2 4.1 4.2 4.3 4.4",
        "Equation ": "1.1"},
    "report": {
        "": "Abstract 1 2.1 2.2 3 4.1 4.2 4.3 5 6 6.1 6.2 6.3 7 8",
        "Figure ": "1 2 3 4 5",
        "Table ": "1 2 3 4",
        "Algorithm ": "1 2"},
    "shuffling": {
        "": "1 2 2.1 2.2 3 3.1 3.2 4 5 6 7 8",
        "Figure ": "1 2 3 4 6 7 8 9 10 11 12 13 14 15 16",  # 5 is the listing
        "Listing ": "5",
        "Table ": "1 2 3",
        "Algorithm ": "1",
        "Equation ": "1 2 3 4 5 6 7",
        "Appendix ": "A"}}


def parts():
    """The place of each, as in the titles of rows."""
    for paper, kinds in PARTS.items():
        for kind, names in kinds.items():
            for name in names.split():
                yield f"{paper} {kind}{name}"


def places_in(title):
    """The parts that a row is about: "5.3, Figures 5.7 and 5.8"."""
    sections = re.match(r"\d[\d.]*(?:, \d[\d.]*)*(?=$|[ ,])", title)
    kinds = "Figure|Table|Algorithm|Listing|Equation"
    listed = re.findall(rf"({kinds})s? (\d[\d.]*(?:(?:, | and )\d[\d.]*)*)|(Appendix [A-Z])", title)
    found = sections[0].split(", ") if sections else []
    for kind, numbers, whole in listed:
        found += [whole] if whole else [f"{kind} {number}" for number in re.split(", | and ", numbers)]
    return found or [title]
