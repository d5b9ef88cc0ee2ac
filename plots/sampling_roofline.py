"""How many samples a second the GPU draws by table size, below what writing them alone allows, beside
the program of the thesis's authors (measured_peers.csv), which keeps no sample. Ours are
the samplers of beyond_sampling: section by section, and in random order."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "beyond_sampling"),)
SAMPLES = 10**9
DISTRIBUTION = "powerlaw_1_shuffled"
OURS = {"sectioned_philox7": "by sections, Philox of 7 rounds",
        "sectioned": "by sections, Philox of 10 rounds", "direct": "random order",
        "direct_packed_kept": "random order, 4-byte rows kept",
        "direct_short_kept": "random order, 2-byte rows kept",
        "direct_sectioned": "random order, in blocks"}
AUTHORS = {"shared_memory_sectioned": "authors' program, shared memory",
           "cached_limited_sectioned": "authors' program, cached limited",
           "baseline": "authors' program, random order"}


def draw(results):
    record = results.gpu("beyond_sampling")
    elsewhere = style.elsewhere(record, "h200")
    series, writing, shares = {}, {}, {}
    for sampler, name in OURS.items():
        rows = [(int(parts[3]), row) for parts, row
                in record.select("sample", sampler, DISTRIBUTION, None, str(SAMPLES))]
        if not rows:  # of a run before there was this sampler
            continue
        series[name] = [(n, row["items_per_second"] / 1e9) for n, row in rows]
        # The record keeps the rate of writing as a share of each rate.
        if sampler.startswith("sectioned"):
            shares |= {(sampler, n): row["percent_of_floor"] for n, row in rows if n <= 10**8}
        writing |= {n: row["items_per_second"] / 1e9 * 100 / row["percent_of_floor"] for n, row in rows}
    style.require(writing, record)
    for sampler, name in AUTHORS.items():
        series[f"{name}{elsewhere}"] = [(int(row["items"]), row["value"]) for row in style.published(
            "measured_peers", machine="h200", method=sampler, quantity="sampling_throughput")]
    figure, axes = plt.subplots(figsize=(8, 4.6))
    axes.plot(*zip(*sorted(writing.items())), color=style.BLACK, lw=1, label="writing samples alone")
    style.lines(axes, series)
    axes.set(xscale="log", yscale="log", xlabel="rows of the table, N",
             ylabel="billion samples a second")
    figure.suptitle(style.claim(
        lambda: f"By sections, samples come at {style.span(shares.values(), '{:.0f}')}% of the rate of "
        f"writing up to {style.power_of_ten(max(n for _, n in shares))} rows",
        "Samples a second by size of the table"), fontsize=10.5)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.caption(figure, record, style.apart(elsewhere),
                  note="$10^9$ samples, $i^{-1}$ shuffled; ours from 8-byte rows but where it says otherwise (packed "
                       "before),\nstored as 32-bit indices; the authors' from 16-byte rows, none stored")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
