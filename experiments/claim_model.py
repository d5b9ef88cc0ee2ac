"""Claims as data. Each file of experiments/claims holds claims of a paper, or targets of ours:

  paper = "thesis"
  [define]                       # names for the expressions of this file
  gain = "lambda s: faster('gpu/split_methods', f'split/baseline/{s}', f'split/p_ary/{s}')"
  [[claim]]
  id = "split_gain"
  place = "5.2.1"                # section, table or figure of the paper
  figure = "thesis_figure_5_1"   # of plots/, if one shows it
  says = "partial p-ary split against the baseline, at most"
  published = "thesis('speedup_over_baseline_split')"
  ours = "max(gain(s) for s in range(1024, 10241, 1024))"
  unit = "times"                 # the default
  bounds = "same"                # of the verdict, see BOUNDS
  numbers = {few = "gain(1024)"} # for the two sentences, which hold {few}; {ours} and {published} are known
  judgement = "what the numbers mean, and why they differ"
  wrong_if = "what would have to be true for the verdict to be wrong"

`published`, `ours` and `numbers` are expressions in the terms of `scope`; `published` may be "more", for an
order that a paper states without a number. `theirs` may be an expression of what the authors' own program
does on the same card."""

import dataclasses
import fnmatch
import functools
import math
import pathlib
import re
import tomllib

from records import Missing, published, published_value

CLAIMS = pathlib.Path(__file__).resolve().parent / "claims"
ROOT = CLAIMS.parent.parent
IN_WORDS = "more"


class Number(float):
    """Prints three significant digits; with the format `%` whole percents, with another as usual."""

    def __format__(self, form):
        if form == "%":
            return f"{float(self):.0%}"
        if form:
            return format(float(self), form)
        if self == 0 or not math.isfinite(self):
            return f"{float(self):g}"
        digits = max(0, 2 - math.floor(math.log10(abs(float(f"{float(self):.3g}")))))
        text = f"{float(f'{float(self):.3g}') if abs(self) < 1000 else round(self):,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text and abs(self) >= 100 else text


def scope(records):
    """The terms of expressions. Times are in ms, rates in 10^9 a second; a record is named kind/experiment
    (kinds: gpu, cpu, and those of records.OTHER_CPUS), a benchmark by its name, in which {most} is the largest
    number that was measured."""
    return {
        "__builtins__": {}, "max": max, "min": min, "sum": sum, "len": len, "range": range, "round": round,
        "sorted": sorted, "zip": zip, "log2": math.log2, "int": int, "float": float, "abs": abs,
        "ms": records.ms, "rate": records.rate, "value": records.value, "counter": records.counter,
        "rows": records.table, "record": records.data,
        "names": functools.partial(_names, records),
        "machine": lambda key: _machine(records.data(key)["context"]),
        "faster": lambda key, slow, fast: records.ms(key, slow) / records.ms(key, fast),
        "published": published_value,
        "all_published": lambda table, **wanted: [row["value"] for row in published(table, **wanted)],
        **{paper: functools.partial(_of_text, paper) for paper in ("thesis", "report", "shuffling")},
        "number": Number,
        "saved": lambda percent: 1 / (1 - percent / 100),  # "15% less time", as a ratio
        "gained": lambda percent: 1 + percent / 100,  # "15% faster"
    }


def _names(records, key, pattern):
    """Those of a record's benchmarks that the pattern matches."""
    found = fnmatch.filter(records.rows(key), pattern)
    if not found:
        raise Missing(f"{key} has no {pattern}")
    return found


def _machine(context):
    """The CPU of a record, for a reader."""
    name = re.sub(r"\(R\)|Intel|AMD|Processor", "", context["cpu"]).strip()
    return f"{context['threads']} {name} threads"


def _of_text(paper, quantity, **wanted):
    """What the running text of a paper states."""
    return published_value(f"{paper}_text", quantity=quantity, **wanted)


# A time says little whose median exceeds its minimum by more than this share.
NOISE = 0.1

# The size of an effect on a ratio is that of its logarithm: this share of the published one counts as the
# same, and less than the second as none. A ratio nearer to 1 than the third is hardly one.
SAME, NONE, NEAR = 0.7, 0.1, 1.03


def _near_one(ratio):
    return 1 / NEAR < ratio < NEAR


def same(theirs, ours):
    """A ratio that should be as stated."""
    if _near_one(theirs):  # stated to be no difference, or hardly one
        return "reproduced" if _near_one(ours / theirs) else "differs"
    share = math.log(ours) / math.log(theirs)
    if share <= NONE:
        return "contradicted"
    return "reproduced" if SAME <= share <= 1 / SAME else "differs"


def within(factor, theirs, ours):
    """What does not depend on how fast a machine is, or a ratio whose value counts and not how far it is
    from 1; on the other side of 1 it is the opposite all the same."""
    if min(theirs, ours) < 1 / NEAR and max(theirs, ours) > NEAR:
        return "contradicted"
    return "reproduced" if 1 / factor <= ours / theirs <= factor else "differs"


BOUNDS = {
    "same": same,
    "more": lambda _, ours: "reproduced" if ours > 1.02 else "contradicted",
    # "More than", and what a paper says is never exceeded, or gains nothing.
    "lower bound": lambda theirs, ours: "reproduced" if ours >= theirs / NEAR else same(theirs, ours),
    "upper bound": lambda theirs, ours: "reproduced" if ours <= theirs * NEAR else "differs",
    # Absolute values, and a GPU against a CPU: neither should be worse on newer hardware.
    "at least": lambda theirs, ours: "reached" if ours >= theirs else "differs",
    "at most": lambda theirs, ours: "reached" if ours <= theirs else "differs",
    "target at least": lambda target, ours: "met" if ours >= target else "missed",
    "target at most": lambda target, ours: "met" if ours <= target else "missed",
}


# What is compared is not what the paper compared: the opposite then contradicts nothing.
ELSEWHERE = (" of another program", " in another configuration")


def judge(bounds, theirs, ours):
    """The verdict by a rule: one of BOUNDS or "within <factor>", maybe with an ending of ELSEWHERE."""
    rule = bounds
    for ending in ELSEWHERE:
        rule = rule.removesuffix(ending)
    if factor := re.fullmatch(r"within (\d+(?:\.\d+)?)", rule):
        verdict = within(float(factor[1]), theirs, ours)
    elif rule in BOUNDS:
        verdict = BOUNDS[rule](theirs, ours)
    else:
        raise ValueError(f"there are no bounds '{bounds}'")
    return "differs" if rule != bounds and verdict == "contradicted" else verdict


@dataclasses.dataclass(frozen=True)
class Claim:
    paper: str
    id: str
    place: str
    says: str
    published: str
    ours: str
    bounds: str
    judgement: str
    wrong_if: str
    unit: str = "times"
    theirs: str = ""
    figure: str = ""
    numbers: dict = dataclasses.field(default_factory=dict)
    define: dict = dataclasses.field(default_factory=dict, repr=False)


@dataclasses.dataclass(frozen=True)
class Result:
    claim: Claim
    published: float | None  # None where it is in words
    ours: float | None = None  # None where it is not measured, and `missing` says what record lacks
    theirs: float | None = None
    verdict: str = "not measured"
    judgement: str = ""
    wrong_if: str = ""
    missing: str = ""  # of `ours`, or else of the sentences
    noisy: bool = False  # a time that it is from varies too much, or was measured once
    records: frozenset = frozenset()  # kind/experiment of those that it is from


def read(path):
    """The parsed file, or an error that names it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from error


def load(folder=CLAIMS):
    """All claims, in the order of the files."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        data = read(path)
        if "claim" in data and "paper" not in data:
            raise ValueError(f"{path} does not say of which paper its claims are")
        for entry in data.get("claim", ()):
            try:
                found.append(Claim(paper=data["paper"], define=data.get("define", {}), **entry))
            except TypeError as error:
                raise ValueError(f"{path}: claim {entry.get('id', entry)}: {error}") from error
    return found


class Evaluator:
    """Evaluates expressions over records; knows the names that a file defines."""

    def __init__(self, records, define):
        self.records = records.afresh()
        self.names = scope(self.records)
        for name, expression in define.items():
            self.names[name] = self(expression)

    def __call__(self, expression, **more):
        # The files are the project's own, like this one: expressions are trusted.
        try:
            return eval(expression, {**self.names, **more} if more else self.names)
        except (ArithmeticError, AttributeError, LookupError, NameError, SyntaxError, TypeError, ValueError) as error:
            raise ValueError(f"{expression}: {type(error).__name__}: {error}") from error

    def number(self, expression, **more):
        found = self(expression, **more)
        return found if isinstance(found, str) else Number(found)


def fill(sentence, evaluator, numbers, **known):
    """The sentence with its numbers."""
    values = {name: evaluator.number(text) for name, text in numbers.items()}
    try:
        return sentence.format(**known, **values)
    except (LookupError, ValueError) as error:
        raise ValueError(f"{sentence.strip()}: {type(error).__name__}: {error}") from error


def evaluate(claims, records):
    for claim in claims:
        try:
            result = evaluated(claim, records)
        except ValueError as error:
            raise ValueError(f"claim {claim.id}: {error}") from error
        yield result


def evaluated(claim, records):
    evaluator = Evaluator(records, claim.define)
    published = None if claim.published == IN_WORDS else evaluator.number(claim.published)
    theirs = evaluator.number(claim.theirs) if claim.theirs else None
    try:
        ours = evaluator.number(claim.ours)
    except Missing as missing:
        return Result(claim, published, theirs=theirs, missing=str(missing),
                      records=frozenset(evaluator.records.asked))
    return judged(evaluator, Result(
        claim, published, ours, theirs, judge(claim.bounds, published, ours),
        noisy=evaluator.records.variation > NOISE, records=frozenset(evaluator.records.asked)))


def judged(evaluator, result):
    """With its sentences, unless a record lacks a number of theirs: the verdict holds without it."""
    claim = result.claim
    known = {"published": result.published, "ours": result.ours, "theirs": result.theirs}
    try:
        judgement, wrong_if = (fill(text, evaluator, claim.numbers, **known)
                               for text in (claim.judgement, claim.wrong_if))
    except Missing as missing:
        return dataclasses.replace(result, missing=str(missing))
    return dataclasses.replace(result, judgement=judgement, wrong_if=wrong_if)
