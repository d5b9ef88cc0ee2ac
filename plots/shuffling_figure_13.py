"""The shuffling paper's Figure 13: throughput of shuffles by length on an RTX 2080 (the numbers of its
Table 2) beside ours by shuffle_methods, with cycle walking, which pads nothing, and Thrust's."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)


def draw(results):
    record = results.gpu("shuffle_methods")
    figure = plt.figure(figsize=(8.4, 4.8))
    shuffles.comparison(figure, "shuffling_table_2", "rtx_2080_shuffling", record, shuffles.GPU_METHODS,
                        (shuffles.OURS, ("thrust_shuffle_copy", "thrust::shuffle_copy")))

    def reaching():
        n = 2 ** shuffles.last_power(record) + 1
        share = {method: record.rate(f"shuffle/{method}/{n}") / record.rate(f"shuffle/gather/{n}")
                 for method in ("bijective2_lcg", "cycle_walk", "bijective2_varphilox")}
        if min(share["bijective2_lcg"], share["cycle_walk"]) > 0.98 > share["bijective2_varphilox"]:
            return ("For many keys the RTX 2080's bijections reach its gather; on the "
                    f"{record.device()} LCG and cycle walking do")

    figure.suptitle(style.claim(reaching, "Throughput of shuffles on two GPUs, by length"),
                    fontsize=10.5)
    style.caption(figure, record, note="$n = 2^k + 1$; published: Table 2")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
