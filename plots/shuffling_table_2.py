"""The shuffling paper's Table 2: shuffles of 64-bit keys on an RTX 2080, beside ours
by shuffle_methods, one panel for each length."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)


def draw(results):
    record = results.gpu("shuffle_methods")
    figure = plt.figure(figsize=(9.6, 5.6))
    shuffles.table_dots(figure, "shuffling_table_2", "rtx_2080_shuffling", record, shuffles.GPU_METHODS)

    def gains():
        gain = shuffles.gain("shuffling_table_2", "rtx_2080_shuffling", record, ("gather", "gather"),
                             2**26 + 1)
        return (f"At $2^{{26}}+1$ keys the {record.device()} gathers {gain:.2g} times as fast as an "
                "RTX 2080")

    figure.suptitle(style.claim(gains, "Throughput of shuffles on two GPUs, by length"), fontsize=10.5)
    style.caption(figure, record, note="million 64-bit keys a second; published: Table 2")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
