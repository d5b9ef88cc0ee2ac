"""The shuffling paper's Figure 14: shuffles on CPUs, by length: the paper's two Xeons with 40 cores (the
numbers of its Table 3), and two cores by cpu_shuffle_methods, with as many threads."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "cpu_shuffle_methods"),)


def draw(results):
    record = results.cpu("cpu_shuffle_methods")
    figure = plt.figure(figsize=(8.4, 5.0))
    shuffles.comparison(figure, "shuffling_table_3", "xeon_e5", record,
                        [(theirs, shuffles.widest(record, own), name)
                         for theirs, own, name in shuffles.CPU_METHODS],
                        ((shuffles.widest(record, shuffles.OURS[0]), shuffles.OURS[1]),))
    figure.suptitle("At $2^{26}+1$ keys Rao–Sandelius is the fastest shuffle on both machines",
                    fontsize=10.5)
    style.caption(figure, record, note="$n = 2^k + 1$; published: Table 3")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
