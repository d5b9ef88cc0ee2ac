"""The shuffling paper's Figure 13: throughput of shuffles by length on an RTX 2080 (the numbers of its
Table 2) beside the H200 by shuffle_methods, with cycle walking, which pads nothing, and Thrust's."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)


def draw(results):
    record = results.gpu("shuffle_methods")
    figure = plt.figure(figsize=(8.4, 4.8))
    shuffles.comparison(figure, "shuffling_table_2", "rtx_2080_shuffling", record, shuffles.GPU_METHODS,
                        (shuffles.OURS, ("thrust_shuffle_copy", "thrust::shuffle_copy")))
    figure.suptitle("For many keys the RTX 2080's bijections reach its gather; on the H200 LCG and "
                    "cycle walking do", fontsize=10.5)
    style.caption(figure, record, note="$n = 2^k + 1$; published: Table 2")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
