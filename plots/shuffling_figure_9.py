"""The shuffling paper's Figure 9: the maximum mean discrepancy of an LCG by number of items, from
verify_shuffles.csv. The paper has only a picture."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)


def draw(results):
    figure, axes = plt.subplots()
    shuffles.discrepancy_axes(axes, results, {"lcg": "LCG"})
    axes.set_title("The LCG fails at every length from 5 to 1025 items")
    axes.legend(loc="upper right")
    style.caption(figure, shuffles.VERIFIED, note="100,000 permutations a point")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
