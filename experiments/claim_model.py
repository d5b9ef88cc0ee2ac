"""What a claim is, and how it is judged."""

import dataclasses
import math

from records import Missing


@dataclasses.dataclass(frozen=True)
class Claim:
    place: str
    what: str
    published: object  # () -> number
    ours: object  # Records -> number
    judge: object  # (published, ours) -> verdict
    unit: str = "times"
    note: str = ""  # what to bear in mind, of hardware or method
    # Which of the rows of thesis_notes.md on that place, if there are several, by a part of its title; and
    # other rows that say the same, each as its place and such a part.
    row: str = ""
    also: tuple = ()
    figure: str = ""  # of plots/, where neither place nor row name it


# The size of an effect on a ratio is that of its logarithm: this share of the published one counts
# as the same, and less than the second as none. A ratio nearer to 1 than the third is hardly one.
SAME, NONE, NEAR = 0.7, 0.1, 1.03


def near_one(ratio):
    return 1 / NEAR < ratio < NEAR


def about(theirs, ours):
    """A ratio that should be as stated."""
    if near_one(theirs):  # stated to be no difference, or hardly one
        return "reproduced" if near_one(ours / theirs) else "differs"
    share = math.log(ours) / math.log(theirs)
    if share <= NONE:
        return "contradicted"
    return "reproduced" if SAME <= share <= 1 / SAME else "differs"


def within(factor):
    """A quantity that does not depend on how fast a machine is, or a ratio whose value counts and
    not how far it is from 1; on the other side of 1 it is the opposite all the same."""
    def judge(theirs, ours):
        if min(theirs, ours) < 1 / NEAR and max(theirs, ours) > NEAR:
            return "contradicted"
        return "reproduced" if 1 / factor <= ours / theirs <= factor else "differs"
    return judge


def of_another(judge):
    """Where what it is compared with is another program than theirs: the opposite then contradicts nothing."""
    def judged(theirs, ours):
        verdict = judge(theirs, ours)
        return "differs" if verdict == "contradicted" else verdict
    return judged


def at_least(theirs, ours):
    """A rate, or a GPU against a CPU: neither should be less on newer hardware."""
    return "reached" if ours >= theirs else "differs"


def at_most(theirs, ours):
    """A time or an energy."""
    return "reached" if ours <= theirs else "differs"


def more_than_one(_, ours):
    """An order that is stated without a number."""
    return "reproduced" if ours > 1.02 else "contradicted"


def met_by_time(target, ours):
    return "met" if ours <= target else "missed"


def met_by_rate(target, ours):
    return "met" if ours >= target else "missed"


# A time says little whose median exceeds its minimum by more than this share.
NOISE = 0.1


@dataclasses.dataclass(frozen=True)
class Result:
    claim: Claim
    published: float
    ours: float | None
    verdict: str
    missing: str = ""  # what record, if it is not measured
    noisy: bool = False  # whether a time that it is from varies too much, or was measured once
    records: frozenset = frozenset()  # kind/experiment of those that it is from


def evaluate(claims, records):
    for claim in claims:
        theirs = claim.published()
        looked_at = records.afresh()
        try:
            ours = claim.ours(looked_at)
        except Missing as missing:
            yield Result(claim, theirs, None, "not measured", str(missing),
                         records=frozenset(looked_at.asked))
        else:
            yield Result(claim, theirs, ours, claim.judge(theirs, ours),
                         noisy=looked_at.variation > NOISE, records=frozenset(looked_at.asked))
