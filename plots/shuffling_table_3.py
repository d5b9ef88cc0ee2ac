"""The shuffling paper's Table 3: shuffles of 64-bit keys on two Xeons with 40 cores, beside ours on
our CPU by cpu_shuffle_methods, one panel for each length."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "cpu_shuffle_methods"),)


def draw(results):
    record = results.cpu("cpu_shuffle_methods")
    figure = plt.figure(figsize=(9.6, 5.6))
    shuffles.table_dots(figure, "shuffling_table_3", "xeon_e5", record,
                        [(theirs, record.widest("shuffle", own)[0], name)
                         for theirs, own, name in shuffles.CPU_METHODS])

    def faster():
        if min(shuffles.gain("shuffling_table_3", "xeon_e5", record,
                             (method, record.widest("shuffle", method)[0]), 2**26 + 1)
               for method in ("gather", "rao_sandelius")) > 1:
            return (f"At $2^{{26}}+1$ keys {record.context['threads']} threads gather and run "
                    "Rao–Sandelius faster than 40 Xeon cores")

    figure.suptitle(style.claim(faster, "Throughput of shuffles on two CPUs, by length"),
                    fontsize=10.5)
    style.caption(figure, record, note="million 64-bit keys a second; published: Table 3")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
