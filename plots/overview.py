"""The README's picture: on one H200, how long wrsgpu takes to build a table beside the program of the
thesis's authors and a plain copy, and how fast it draws beside torch, cupy and that program; by
beyond_construction, beyond_sampling, peers and measured_peers.csv."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "beyond_construction"), ("gpu", "beyond_sampling"), ("gpu", "peers"))
CASES = [(n, distribution, name) for n in (10**7, 10**8) for distribution, name in
         (("uniform", "uniform"), ("powerlaw_1_shuffled", "$i^{-1}$, shuffled"))]
ITEMS, SAMPLES, SAMPLES_OF_PEERS = 10**7, 10**9, 10**8
DISTRIBUTION = "powerlaw_1_shuffled"
PEERS = {"torch_multinomial": "torch.multinomial", "cupy_choice": "cupy.random.choice",
         "torch_search": "cumulative sum\nand search (torch)"}


def building(axes, record):
    series = {"authors' program": [], "wrsgpu": [], "a copy of as many bytes": []}
    for n, distribution, _ in CASES:
        name = f"construct/merge/{distribution}/{n}"
        ours = record.milliseconds(name)
        authors = min(row["value"] for row in style.published(
            "measured_peers", machine="h200", distribution=distribution, items=n,
            quantity="construction_time"))
        floor = ours * record.rows[name]["percent_of_floor"] / 100
        for values, time in zip(series.values(), (authors, ours, floor)):
            values.append(time / n * 1e9)  # picoseconds an item
    style.bars(axes, [f"{style.power_of_ten(n)}\n{name}" for n, _, name in CASES], series)
    axes.set(ylabel="time to build, ps an item", xlabel="items, weights")
    axes.set_ylim(0, 98)
    axes.legend(loc="upper right")
    axes.set_title("Building", fontsize=9.5)


def drawing(axes, sampling, peers):
    rows = {row["name"]: row for row in peers.data["peers"]}
    authors = {row["method"]: row["value"] for row in style.published(
        "measured_peers", machine="h200", items=ITEMS, quantity="sampling_throughput")}
    rates = [(name, SAMPLES_OF_PEERS / 1e6 / rows[f"peers/{peer}/{DISTRIBUTION}/{ITEMS}/"
                                                  f"{SAMPLES_OF_PEERS}"]["draw"], style.GREY)
             for peer, name in PEERS.items()]
    rates.append(("authors' program", authors["baseline"], style.BLUE))
    own = {sampler: sampling.rate(f"sample/{sampler}/{DISTRIBUTION}/{ITEMS}/{SAMPLES}") / 1e9
           for sampler in ("direct", "sectioned")}
    rates.append(("wrsgpu", own["direct"], style.ORANGE))
    rates.append(("authors' program,\nby sections", max(authors.values()), style.BLUE))
    rates.append(("wrsgpu,\nby sections", own["sectioned"], style.ORANGE))
    names, values, colours = zip(*rates)
    container = axes.barh(range(len(rates)), values, color=colours, height=0.7)
    axes.bar_label(container, [f"{value:.3g}" for value in values], fontsize=8, padding=2)
    axes.set_yticks(range(len(rates)), names)
    axes.set_ylim(len(rates) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="billion samples a second", xlim=(0, 1.12 * max(values)))
    axes.set_title(f"Drawing from {style.power_of_ten(ITEMS)} items", fontsize=9.5)


def draw(results):
    building_record, sampling, peers = (results.gpu(name) for _, name in NEEDS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), width_ratios=[1.25, 1])
    building(left, building_record)
    drawing(right, sampling, peers)
    figure.suptitle("On one H200 wrsgpu builds tables 4 to 7 times and draws 3 to 4 times as fast as "
                    "the thesis authors' program", fontsize=11)
    style.caption(figure, building_record, sampling, peers,
                  note="authors' program: measured_peers.csv, 16-byte rows from double weights, "
                       "samples not stored; "
                  "wrsgpu: 8-byte rows from floats, samples stored\n"
                  r"drawing: $i^{-1}$ shuffled, $10^9$ samples, torch and cupy $10^8$; by sections "
                  r"samples come in table order")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
