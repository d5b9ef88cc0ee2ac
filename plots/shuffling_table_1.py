"""The shuffling paper's Table 1: shuffles of 64-bit keys on a Tesla V100, beside ours
by shuffle_methods, one panel for each length."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)


def draw(results):
    record = results.gpu("shuffle_methods")
    figure = plt.figure(figsize=(9.6, 5.6))
    shuffles.table_dots(figure, "shuffling_table_1", "v100_32gb", record, shuffles.GPU_METHODS)

    def gains():
        at = shuffles.last_power(record)
        gather, sort = (shuffles.gain("shuffling_table_1", "v100_32gb", record, method, 2**at + 1)
                        for method in (("gather", "gather"), ("sort_shuffle", "sort")))
        return (f"At $2^{{{at}}}+1$ keys the {record.device()} gathers {gather:.2g} times as fast as a "
                f"V100, and sorts {sort:.2g} times as fast")

    figure.suptitle(style.claim(gains, "Throughput of shuffles on two GPUs, by length"), fontsize=10.5)
    style.caption(figure, record, note="million 64-bit keys a second; published: Table 1")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
