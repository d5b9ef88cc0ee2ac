"""The README's picture: on one GPU, how long wrsgpu takes to build a table beside the program of the
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


def building(axes, record, elsewhere):
    """Returns how many times as fast as the authors' program ours builds rows as large as theirs."""
    series = {f"authors' program{elsewhere}, 16-byte rows": [], "wrsgpu, 16-byte rows": [],
              "wrsgpu, 8-byte rows": [], "a copy of as many bytes": []}
    cases = style.require([case for case in CASES if f"construct/merge/{case[1]}/{case[0]}"
                           in record.rows], record)
    for n, distribution, _ in cases:
        name = f"construct/merge/{distribution}/{n}"
        ours = record.milliseconds(name)
        wide = record.milliseconds(name.replace("/merge/", "/merge_wide/"))
        authors = min(row["value"] for row in style.published(
            "measured_peers", machine="h200", distribution=distribution, items=n,
            quantity="construction_time"))
        floor = ours * record.rows[name]["percent_of_floor"] / 100
        for values, time in zip(series.values(), (authors, wide, ours, floor)):
            values.append(time / n * 1e9)  # picoseconds an item
    style.bars(axes, [f"{style.power_of_ten(n)}\n{name}" for n, _, name in cases], series)
    axes.set(ylabel="time to build, ps an item", xlabel="items, weights")
    style.reach(axes, y=(0, 98))
    axes.legend(loc="upper right")
    axes.set_title("Building", fontsize=9.5)
    authors, wide, *_ = series.values()
    return [a / b for a, b in zip(authors, wide)]


def drawing(axes, sampling, peers, elsewhere):
    """Returns how many times as fast as the authors' program ours draws."""
    rows = {row["name"]: row for row in peers.data["peers"]}
    authors = {row["method"]: row["value"] for row in style.published(
        "measured_peers", machine="h200", items=ITEMS, quantity="sampling_throughput")}
    times = {peer: rows.get(f"peers/{peer}/{DISTRIBUTION}/{ITEMS}/{SAMPLES_OF_PEERS}", {}).get("draw")
             for peer in PEERS}
    rates = [(name, SAMPLES_OF_PEERS / 1e6 / times[peer], style.GREY)
             for peer, name in PEERS.items() if times[peer]]
    rates.append((f"authors' program{elsewhere}", authors["baseline"], style.BLUE))
    own = {sampler: rate / 1e9 for sampler in ("direct", "sectioned")
           if (rate := sampling.rate(f"sample/{sampler}/{DISTRIBUTION}/{ITEMS}/{SAMPLES}"))}
    style.require(own, sampling)
    if "direct" in own:
        rates.append(("wrsgpu", own["direct"], style.ORANGE))
    rates.append((f"authors' program{elsewhere},\nby sections", max(authors.values()), style.BLUE))
    if "sectioned" in own:
        rates.append(("wrsgpu,\nby sections", own["sectioned"], style.ORANGE))
    names, values, colours = zip(*rates)
    container = axes.barh(range(len(rates)), values, color=colours, height=0.7)
    axes.bar_label(container, [f"{value:.3g}" for value in values], fontsize=8, padding=2)
    axes.set_yticks(range(len(rates)), names)
    axes.set_ylim(len(rates) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="billion samples a second", xlim=(0, 1.12 * max(values)))
    axes.set_title(f"Drawing from {style.power_of_ten(ITEMS)} items", fontsize=9.5)
    theirs = {"direct": authors["baseline"], "sectioned": max(authors.values())}
    return [rate / theirs[sampler] for sampler, rate in own.items()]


def draw(results):
    building_record, sampling, peers = (results.gpu(name) for _, name in NEEDS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), width_ratios=[1.25, 1])
    elsewhere = style.elsewhere(building_record, "h200")
    builds = building(left, building_record, elsewhere)
    draws = drawing(right, sampling, peers, elsewhere)
    figure.suptitle("Building and drawing beside other programs" if elsewhere else
                    f"On one {building_record.device()} wrsgpu builds tables {style.span(builds)} times "
                    f"and draws {style.span(draws)} times as fast as the thesis authors' program",
                    fontsize=11)
    style.caption(figure, building_record, sampling, peers,
                  note=f"authors' program: measured_peers.csv{elsewhere}, in a run of its own, from double weights, "
                       "samples not stored; "
                  "wrsgpu: from floats, samples stored\n"
                  r"drawing: $i^{-1}$ shuffled, $10^9$ samples, torch and cupy $10^8$; by sections "
                  r"samples come in table order")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
