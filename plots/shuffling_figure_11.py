"""The shuffling paper's Figure 11: the bijective shuffle in three passes, two and one against the random
gather, on our GPU by shuffle_fusion, at 2^k and at 2^k + 1 keys. The paper has only a picture."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_fusion"),)
NEAR = 0.98  # of the gather
METHODS = (("gather", "random gather"), ("bijective2_varphilox", "one pass (Bijective2)"),
           ("bijective1_varphilox", "two passes (Bijective1)"),
           ("bijective0_varphilox", "three passes (Bijective0)"))


def draw(results):
    record = results.gpu("shuffle_fusion")
    style.require(shuffles.measured_points(record, "gather"), record)
    figure, both = plt.subplots(1, 2, sharey=True, figsize=(8.4, 4.4))
    for axes, plus_one, title in zip(both, (False, True),
                                     ("$n = 2^k$, none padded", "$n = 2^k + 1$, nearly half padded")):
        for i, (method, name) in enumerate(METHODS):
            points = sorted(shuffles.measured_points(record, method, plus_one))
            axes.plot([n for n, _ in points], [rate / 1e9 for _, rate in points], label=name,
                      markersize=3.5, **style.look(i))
        axes.set_xscale("log", base=2)
        axes.set(xlabel="keys, n")
        axes.set_title(title, fontsize=9.5)
    both[0].set_ylabel("billion 64-bit keys a second")
    both[0].legend()

    def reaching():
        share = {}
        for plus_one in (False, True):
            one, gather = (dict(shuffles.measured_points(record, method, plus_one))
                           for method in ("bijective2_varphilox", "gather"))
            share[plus_one] = {n.bit_length() - 1: one[n] / gather[n] for n in gather}
        below = max(k for k, found in share[False].items() if found < NEAR)
        first = min(k for k in share[False] if k > below)
        if max(found for k, found in share[True].items() if k >= first) < NEAR:
            return (f"One pass reaches the gather from $2^{{{first}}}$ keys on, unless half of the range "
                    "is padding")

    figure.suptitle(style.claim(reaching, "The bijective shuffle in three passes, two and one"),
                    fontsize=10.5)
    style.caption(figure, record)
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
