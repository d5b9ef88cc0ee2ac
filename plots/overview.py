"""The README's picture: on one GPU, how long wrsgpu takes to build a table beside the program of the
thesis's authors and a plain copy, and how fast it draws beside torch, cupy and that program; by
beyond_construction, sampling, beyond_sampling, peers and measured_peers.csv. The title compares with torch
and cupy in the run of peers alone, building included, as some of them build in every draw."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "beyond_construction"), ("gpu", "sampling"), ("gpu", "beyond_sampling"),
         ("gpu", "peers"))
CASES = [(n, distribution, name) for n in (10**7, 10**8) for distribution, name in
         (("uniform", "uniform"), ("powerlaw_1_shuffled", "$i^{-1}$, shuffled"))]
ITEMS, SAMPLES, SAMPLES_OF_PEERS = 10**7, 10**9, 10**8
DISTRIBUTION = "powerlaw_1_shuffled"
PEERS = {"torch_multinomial": "torch.multinomial", "cupy_choice": "cupy.random.choice",
         "torch_search": "cumulative sum\nand search (torch)"}
WIDE, COMPACT = "wrsgpu, 16-byte rows", "wrsgpu, 8-byte rows"
# Our samplers from rows of 16 bytes, as the authors' program has, and of 8 bytes.
SAMPLERS = {"": ("baseline", "direct"), ",\nby sections": ("shared_memory", "sectioned")}
AUTHORS, OURS_WIDE, OURS_COMPACT = style.BLUE, style.ORANGE, style.GREEN


def building(axes, record, elsewhere):
    """Returns how many times as long as a copy ours takes."""
    cases = style.require([case for case in CASES if f"construct/merge/{case[1]}/{case[0]}"
                           in record.rows], record)
    series = {f"authors' program{elsewhere}, 16-byte rows": [], WIDE: [], COMPACT: []}
    floors, shares = [], []
    for group, (n, distribution, _) in enumerate(cases):
        in_picoseconds = 1e9 / n  # an item
        authors = min(row["value"] for row in style.published(
            "measured_peers", machine="h200", distribution=distribution, items=n,
            quantity="construction_time"))
        times = [authors]
        for place, method in enumerate(("merge_wide", "merge"), 1):
            name = f"construct/{method}/{distribution}/{n}"
            times.append(record.milliseconds(name))
            if times[-1]:
                percent = record.rows[name]["percent_of_floor"]
                floors.append((group, place, times[-1] * in_picoseconds * percent / 100))
                shares.append(100 / percent)
        for values, time in zip(series.values(), times):
            values.append(time and time * in_picoseconds)
    style.bars(axes, [f"{style.power_of_ten(n)}\n{name}" for n, _, name in cases], series)
    width = 0.8 / len(series)
    for i, (group, place, floor) in enumerate(floors):
        middle = group + (place - 1) * width
        axes.plot((middle - 0.46 * width, middle + 0.46 * width), (floor, floor), color=style.BLACK,
                  lw=2, label="" if i else "a copy of as many bytes")
    axes.set(ylabel="time to build, ps an item", xlabel="items, weights")
    style.reach(axes, y=(0, 98))
    axes.legend(loc="upper right")
    axes.set_title("Building", fontsize=9.5)
    return shares


def drawing(axes, wide, compact, peers, elsewhere):
    """Returns how many times as fast as the peers ours builds and draws, both in random order."""
    case = f"/{DISTRIBUTION}/{ITEMS}/{SAMPLES_OF_PEERS}"
    rows = {row["name"].split("/")[1]: row for row in peers.data["peers"]
            if row["name"].endswith(case) and "draw" in row}
    found = {row["method"]: row["value"] for row in style.published(
        "measured_peers", machine="h200", items=ITEMS, quantity="sampling_throughput")}
    authors = {"": found["baseline"], ",\nby sections": max(found.values())}
    times = {method: row["construct"] + row["draw"] for method, row in rows.items()}
    rates = [(name, SAMPLES_OF_PEERS / 1e6 / rows[peer]["draw"], style.GREY)
             for peer, name in PEERS.items() if peer in rows]
    drawn = False
    for how, samplers in SAMPLERS.items():
        rates.append((f"authors' program{elsewhere}{how}", authors[how], AUTHORS))
        for record, sampler, name, colour in zip((wide, compact), samplers, (WIDE, COMPACT),
                                                 (OURS_WIDE, OURS_COMPACT)):
            rate = record.rate(f"sample/{sampler}/{DISTRIBUTION}/{ITEMS}/{SAMPLES}")
            if rate:
                rates.append((f"{name}{how}", rate / 1e9, colour))
                drawn = True
    style.require(drawn, compact)
    names, values, colours = zip(*rates)
    container = axes.barh(range(len(rates)), values, color=colours, height=0.7)
    axes.bar_label(container, [f"{value:.3g}" for value in values], fontsize=8, padding=2)
    axes.set_yticks(range(len(rates)), names, fontsize=8.5)
    axes.set_ylim(len(rates) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="billion samples a second", xlim=(0, 1.12 * max(values)))
    axes.set_title(f"Drawing from {style.power_of_ten(ITEMS)} items", fontsize=9.5)
    return [times[peer] / times["wrsgpu"] for peer in PEERS if {peer, "wrsgpu"} <= times.keys()]


def draw(results):
    building_record, wide, compact, peers = (results.gpu(name) for _, name in NEEDS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 5.2), width_ratios=[1.25, 1])
    elsewhere = style.elsewhere(building_record, "h200")
    shares = building(left, building_record, elsewhere)
    gains = drawing(right, wide, compact, peers, elsewhere)

    def limits():
        return (f"On one {building_record.device()} wrsgpu builds these tables in {style.span(shares)} "
                "times a copy's time;\n"
                f"{style.power_of_ten(SAMPLES_OF_PEERS)} samples of {style.power_of_ten(ITEMS)} items, "
                f"building included, take torch and cupy {style.span(gains)} times as long")

    figure.suptitle(style.claim(limits, "Building and drawing beside other programs"), fontsize=11)
    style.caption(figure, building_record, wide, compact, peers,
                  note=f"{style.apart(elsewhere)};\n"
                       "it reads double weights and stores no samples, wrsgpu reads floats and stores them\n"
                       r"drawing: $i^{-1}$ shuffled, $10^9$ samples, torch and cupy $10^8$; by sections "
                       "samples come in table order\n"
                       "torch.multinomial and cupy.random.choice build in every draw; of the others building "
                       "is left out here\n"
                       "the title counts it, and compares in the run of peers, in random order")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
