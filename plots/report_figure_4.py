"""Throughput of the four samplers by the number of samples, from tables of 10^6 and 10^7 rows with
uniform weights, samples written (report, Figure 4; its data points are not published). Record:
samples_sweep."""

import matplotlib.pyplot as plt

import samplers
import samples_sweep
import style

NEEDS = (("gpu", "samples_sweep"),)
SIZES = (10**6, 10**7)


def draw(results):
    record = results.gpu("samples_sweep")
    rates = {n: samples_sweep.throughput(record, n) for n in SIZES}
    style.require(any(found for n in SIZES for found in rates[n].values()), record)
    pay = {}
    for n in SIZES:
        try:
            pay[n], _ = samples_sweep.sections_pay(rates[n])
        except ValueError:  # they never do, or it was not measured
            continue
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 4.0), sharey=True)
    for axes, n in zip(panels, SIZES):
        style.lines(axes, {samplers.SAMPLERS[sampler]: found.items() for sampler, found in
                           rates[n].items()})
        if n in pay:
            axes.axvline(pay[n], color=style.GREY, lw=0.8, ls=":")
        axes.set(xscale="log", xlabel="samples", title=f"table of {style.power_of_ten(n)} rows")
    panels[0].set(ylabel="GSamples/s", ylim=(0, None))
    panels[0].legend(loc="upper left")
    both = len(pay) == len(SIZES) and len(set(pay.values())) == 1
    figure.suptitle(f"Sections pay from {style.power_of_ten(pay[SIZES[0]])} samples on, for both sizes of "
                    "the table" if both else "Throughput of the samplers by number of samples",
                    fontsize=10.5)
    style.caption(figure, record, note="uniform weights, samples written; dotted: from here on sections "
                  "pay")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
