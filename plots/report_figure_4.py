"""Throughput of the four samplers by the number of samples, from tables of 10^6 and 10^7 rows with
uniform weights, samples written (report, Figure 4; its data points are not published). Record:
samples_sweep (H200)."""

import matplotlib.pyplot as plt

import samplers
import samples_sweep
import style

NEEDS = (("gpu", "samples_sweep"),)
SECTIONS_PAY = 30_000_000


def draw(results):
    record = results.gpu("samples_sweep")
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 4.0), sharey=True)
    for axes, n in zip(panels, (10**6, 10**7)):
        style.lines(axes, {samplers.SAMPLERS[sampler]: rates.items() for sampler, rates in
                           samples_sweep.throughput(record, n).items()})
        axes.axvline(SECTIONS_PAY, color=style.GREY, lw=0.8, ls=":")
        axes.set(xscale="log", xlabel="samples", title=f"table of {style.power_of_ten(n)} rows")
    panels[0].set(ylabel="GSamples/s", ylim=(0, None))
    panels[0].legend(loc="upper left")
    figure.suptitle("Sections pay from $3\\cdot 10^7$ samples on, for both sizes of the table",
                    fontsize=10.5)
    style.caption(figure, record, note="uniform weights, samples written; dotted: 3·10⁷ samples")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
