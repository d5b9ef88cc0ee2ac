"""The thesis's Figure 5.6: construction time per item with and without transfers between host and
device, uniform weights, beside PSA on the CPU and the transfer of a finished table. The thesis has
only a picture. Host memory is page-locked. Records: transfers, cpu_construction."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "transfers"), ("cpu", "cpu_construction"))

WHAT = {"construction": "construction alone", "weights_from_host": "weights from the host",
        "table_to_host": "table to the host", "both": "both ways",
        "only_table_to_device": "no construction: finished table sent to the device"}


def draw(results):
    record, cpus = results.gpu("transfers"), results.cpus("cpu_construction")
    series = {}
    for what, label in WHAT.items():
        series[label] = [(int(name[3]), record.milliseconds("/".join(name)) * 1e6 / int(name[3]))
                         for name, _ in record.select("transfer", what, "uniform")]
    style.require(any(series.values()), record)
    for cpu in cpus:
        psa, threads = cpu.widest("construct", "psa")
        series[f"CPU: PSA, {threads} threads"] = [
            (int(name[3]), cpu.milliseconds("/".join(name)) * 1e6 / int(name[3]))
            for name, _ in cpu.select("construct", psa, "uniform")]
    figure, axes = plt.subplots()
    style.lines(axes, series)
    axes.set(xscale="log", yscale="log", xlabel="items", ylabel="ns per item")
    style.reach(axes, y=(0.03, 60))
    ticks = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
    axes.set_yticks(ticks, map("{:g}".format, ticks))
    axes.minorticks_off()

    def cheaper():
        built, sent = (dict(series[WHAT[what]]) for what in ("construction", "only_table_to_device"))
        lost = max((n for n in built if built[n] >= sent[n]), default=0)
        first = style.power_of_ten(min(n for n in built if n > lost))
        return f"From {first} items on, building takes less time than sending a finished table"

    axes.set_title(style.claim(cheaper, "Time to build with and without transfers"))
    axes.legend(fontsize=8, ncols=2)
    style.caption(figure, record, *cpus, note="uniform weights; host memory is page-locked")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
