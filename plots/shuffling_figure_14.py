"""The shuffling paper's Figure 14: shuffles on CPUs, by length: the paper's two Xeons with 40 cores (the
numbers of its Table 3), and our CPU by cpu_shuffle_methods, with all its threads."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "cpu_shuffle_methods"),)


def draw(results):
    record = results.cpu("cpu_shuffle_methods")
    figure = plt.figure(figsize=(8.4, 5.0))
    shuffles.comparison(figure, "shuffling_table_3", "xeon_e5", record,
                        [(theirs, record.widest("shuffle", own)[0], name)
                         for theirs, own, name in shuffles.CPU_METHODS],
                        ((record.widest("shuffle", shuffles.OURS[0])[0], shuffles.OURS[1]),))

    def fastest():
        theirs = {name: dict(shuffles.published_points("shuffling_table_3", method, "xeon_e5"))[n]
                  for method, _, name in shuffles.CPU_METHODS[1:]}
        ours = {name: record.rate(f"shuffle/{record.widest('shuffle', own)[0]}/{n}")
                for _, own, name in (*shuffles.CPU_METHODS[1:], ("", *shuffles.OURS))}
        if not all(ours.values()):
            return ""
        best = [max(rates, key=rates.get) for rates in (theirs, ours)]
        if best[0] == best[1]:
            return f"At $2^{{26}}+1$ keys {best[0]} is the fastest shuffle on both machines"

    n = 2**26 + 1
    figure.suptitle(style.claim(fastest, "Throughput of shuffles on CPUs, by length"), fontsize=10.5)
    style.caption(figure, record, note="$n = 2^k + 1$; published: Table 3")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
