"""The shuffling paper's Figure 9: the maximum mean discrepancy of an LCG by number of items, from
verify_shuffles.csv. The paper has only a picture."""

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)


def draw(results):
    return shuffles.discrepancy_figure(results, "lcg", "LCG", "The LCG",
                                       "Discrepancy of an LCG by length")


if __name__ == "__main__":
    style.main(__file__, draw)
