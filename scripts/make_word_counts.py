#!/usr/bin/env python3
"""Counts the words of a plain text (UTF-8) and writes them as CSV: word,count.

A word is a maximal run of letters of any script, in which single apostrophes may stand between
letters ("lord's" is one word); everything else, hyphens and digits included, separates words. Words
are brought to lower case and to Unicode's composed form (NFC), and U+2019 counts as an apostrophe.
Rows are sorted by falling count, then by word in code point order, so that the same text always
gives the same file.

examples/data/kjv_word_counts.csv was made from the King James Bible (1611, in the public domain) as
Debian packages it, bible-kjv and bible-kjv-text 4.38 (31,102 verses):

    apt-get install bible-kjv bible-kjv-text
    bible -f Gen1:1-Rev22:21 < /dev/null | cut -d ' ' -f 2- > kjv.txt
    scripts/make_word_counts.py kjv.txt examples/data/kjv_word_counts.csv

(-f prints one verse a line, and `cut` drops the reference that each line begins with.)
"""

import argparse
import collections
import csv
import re
import sys
import unicodedata

# [^\W\d_] is a letter: a word character that is neither a digit nor the underscore.
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def count_words(lines):
    counts = collections.Counter()
    for line in lines:
        text = unicodedata.normalize("NFC", line.lower()).replace("\u2019", "'")
        counts.update(WORD.findall(text))
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="plain text in UTF-8, or - for standard input")
    parser.add_argument("csv", help="file to write, or - for standard output")
    arguments = parser.parse_args()
    try:
        with open(0 if arguments.text == "-" else arguments.text, encoding="utf-8") as text:
            rows = count_words(text)
        if not rows:
            raise ValueError("no words in it")
        with open(1 if arguments.csv == "-" else arguments.csv, "w", encoding="utf-8",
                  newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["word", "count"])
            writer.writerows(rows)
    except (OSError, ValueError) as error:  # UnicodeDecodeError is a ValueError
        sys.exit(f"make_word_counts.py: {arguments.text}: {error}")
    print(f"{len(rows)} words, {sum(count for _, count in rows)} in all", file=sys.stderr)


if __name__ == "__main__":
    main()
