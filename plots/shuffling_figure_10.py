"""The shuffling paper's Figure 10: the maximum mean discrepancy of std::shuffle by number of items, from
verify_shuffles.csv. The paper has only a picture."""

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)


def draw(results):
    return shuffles.discrepancy_figure(results, "std_shuffle", "std::shuffle", "std::shuffle",
                                       "Discrepancy of std::shuffle by length")


if __name__ == "__main__":
    style.main(__file__, draw)
