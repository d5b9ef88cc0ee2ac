"""The shuffling paper's Figure 10: the maximum mean discrepancy of std::shuffle by number of items, from
verify_shuffles.csv. The paper has only a picture."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)


def draw(results):
    figure, axes = plt.subplots()
    rows = shuffles.discrepancy_axes(axes, results, {"std_shuffle": "std::shuffle"})
    verdict, lengths = shuffles.verdicts(rows)
    axes.set_title(f"std::shuffle {verdict} at every length from {lengths}" if verdict
                   else "Discrepancy of std::shuffle by length")
    axes.legend(loc="upper right")
    style.caption(figure, shuffles.VERIFIED, note=shuffles.permutations(rows))
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
