"""Throughput of the four samplers by the number of samples, from tables of 10^6 and 10^7 rows with
uniform weights (report, Figure 4; its data points are not published): as there, and by Philox with the
samples written. Record: samples_sweep."""

import matplotlib.pyplot as plt

import samplers
import samples_sweep
import style

NEEDS = (("gpu", "samples_sweep"),)
SIZES = (10**6, 10**7)


def draw(results):
    record = results.gpu("samples_sweep")
    style.require(any(samples_sweep.throughput(record, n)["baseline"] for n in SIZES), record)
    found = samplers.set_ups(record)
    figure, panels = plt.subplots(len(found), 2, figsize=(7.2, 1 + 3 * len(found)), sharey=True, squeeze=False)
    for (set_up, title), row in zip(found.items(), panels):
        for axes, n in zip(row, SIZES):
            rates = samples_sweep.panel(axes, record, n, set_up)
            axes.set_title(f"{style.power_of_ten(n)} rows\n{title}", fontsize=8.5)
            try:
                axes.axvline(samples_sweep.sections_pay(rates)[0], color=style.GREY, lw=0.8, ls=":")
            except ValueError:  # they never do, or it was not measured
                continue
    panels[0][0].legend(loc="upper left")
    figure.suptitle("Throughput of the samplers by number of samples", fontsize=10.5)
    style.caption(figure, record, note="uniform weights; dotted: from here on sections pay")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
