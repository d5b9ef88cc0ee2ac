"""The shuffling paper's Table 1: shuffles of 64-bit keys on a Tesla V100, beside ours on the H200
by shuffle_methods, one panel for each length."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)


def draw(results):
    record = results.gpu("shuffle_methods")
    figure = plt.figure(figsize=(8.4, 5.2))
    shuffles.table_dots(figure, "shuffling_table_1", "v100_32gb", record, shuffles.GPU_METHODS)
    figure.suptitle("At large sizes the H200 gathers 8 times as fast as a V100, and sorts 93 times as "
                    "fast", fontsize=10.5)
    style.caption(figure, record, note="million 64-bit keys a second; published: Table 1")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
