"""The README's picture: time to build and to draw once on one GPU by torch, cupy and wrsgpu, all bars from
one run (peers.json), 10^7 items."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "peers"),)
ITEMS, SAMPLES = 10**7, (10**6, 10**8)
DISTRIBUTION = "powerlaw_1_shuffled"
PEERS = {"torch_multinomial": "torch.multinomial", "torch_search": "torch cumsum + searchsorted",
         "cupy_choice": "cupy.random.choice"}
OURS = {"wrsgpu": "wrsgpu, random order", "wrsgpu_sectioned": "wrsgpu, any order"}
TICKS = (0.1, 1, 10)
NAMES = {**PEERS, **OURS}


def times(record, samples):
    """Name in the record -> milliseconds to build and draw."""
    found = {row["name"]: row["construct"] + row["draw"] for row in record.data["peers"] if "draw" in row}
    names = {name: f"peers/{name}/{DISTRIBUTION}/{ITEMS}/{samples}" for name in NAMES}
    return style.require({name: found[row] for name, row in names.items() if row in found}, record)


def bars(axes, measured, samples):
    names = list(measured)
    colours = [style.GREEN if name in OURS else style.GREY for name in names]
    container = axes.barh(range(len(names)), list(measured.values()), color=colours, height=0.7)
    axes.bar_label(container, [f"{time:.3g} ms" for time in measured.values()], fontsize=9, padding=3)
    axes.set_yticks(range(len(names)), [NAMES[name] for name in names])
    axes.set(xscale="log", xlim=(0.05, 60), ylim=(len(names) - 0.4, -0.6), xlabel="milliseconds (log scale)")
    axes.set_xticks(TICKS, [str(tick) for tick in TICKS])
    axes.minorticks_off()
    axes.grid(axis="y", visible=False)
    axes.set_title(f"{style.power_of_ten(samples)} samples", fontsize=10)


def speedup(measured, own):
    """How many times as fast as the fastest peer."""
    return min(measured[peer] for peer in PEERS) / measured[own]


def draw(results):
    record = results.gpu("peers")
    measured = [times(record, samples) for samples in SAMPLES]
    figure, both = plt.subplots(1, 2, sharey=True, figsize=(9.2, 3.5))
    for axes, by_name, samples in zip(both, measured, SAMPLES):
        bars(axes, by_name, samples)

    def claim():
        gains = [max(speedup(by_name, own) for own in OURS) for by_name in measured]
        if min(gains) > 1:
            few, many = (style.power_of_ten(samples) for samples in SAMPLES)
            return (f"wrsgpu is {gains[0]:.2g} times as fast as the fastest other method for {few} samples, "
                    f"{gains[1]:.2g} times for {many}")

    title = f"Building from {style.power_of_ten(ITEMS)} weights and drawing once, {record.device()}"
    found = style.claim(claim, "")
    figure.suptitle(f"{title}\n{found}" if found else title, fontsize=10.5)
    style.caption(figure, record, note="weights: $i^{-1}$, shuffled, floats in GPU memory; samples stay there; "
                                       "medians of device time in one run;\n"
                                       "random order: sampler direct, any order: sampler sectioned")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
