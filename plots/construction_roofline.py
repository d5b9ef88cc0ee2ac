"""How long building on the GPU takes by number of items, between the floors (copies of as many bytes as
must be moved) and the program of the thesis's authors (measured_peers.csv). Ours is the exact one of
beyond_construction, from float weights, with 16-byte rows, as that program has, and with 8-byte rows."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "beyond_construction"),)
DISTRIBUTIONS = (("uniform", "uniform weights"), ("powerlaw_1_shuffled", "$i^{-1}$, shuffled"))
AUTHORS = {"psa": "authors' program, PSA", "psa_plus": "authors' program, PSA+"}
# Name, dashes of the floor and bytes an item: 8 for two reads of the weight, and the row.
EXACT = {"merge_wide": ("ours, 16-byte rows", "--", 24), "merge": ("ours, 8-byte rows", "-", 16)}


def draw(results):
    record = results.gpu("beyond_construction")
    elsewhere = style.elsewhere(record, "h200")
    style.require(list(record.names("construct", "merge")), record)
    shares = []
    figure, both = plt.subplots(1, 2, sharey=True, figsize=(8.2, 4.6))
    for axes, (distribution, title) in zip(both, DISTRIBUTIONS, strict=True):
        series = {f"{name}{elsewhere}": [(int(row["items"]), row["value"]) for row in style.published(
                      "measured_peers", machine="h200", method=method, distribution=distribution,
                      quantity="construction_time")] for method, name in AUTHORS.items()}
        floors = {}
        for method, (name, _, _) in EXACT.items():
            found = {int(parts[3]): row for parts, row
                     in record.select("construct", method, distribution)}
            times = {n: record.milliseconds(f"construct/{method}/{distribution}/{n}") for n in found}
            series[name] = list(times.items())
            # The record keeps the floor as a share of the time.
            floors[method] = [(n, times[n] * row["percent_of_floor"] / 100) for n, row in found.items()]
            shares += [100 / row["percent_of_floor"] for n, row in found.items() if n >= 10**8]
        style.lines(axes, series)
        for method, (_, dashes, moved) in EXACT.items():
            if floors[method]:
                axes.plot(*zip(*sorted(floors[method])), color=style.BLACK, lw=1, ls=dashes,
                          label=f"floor: a copy of {moved} bytes an item")
        axes.set(xscale="log", yscale="log", xlabel="items, N")
        axes.set_title(title, fontsize=9.5)
    both[0].set_ylabel("time to build, ms")
    style.reach(both[0], y=(0.001, 30))
    both[0].legend(loc="upper left", fontsize=8)

    def limits():
        return (f"On one {record.device()} we build these tables in {style.span(shares)} times "
                "a copy's time from $10^8$ items on")

    figure.suptitle(style.claim(limits, "Time to build a table, above the time of a copy"),
                    fontsize=10.5)
    style.caption(figure, record, style.apart(elsewhere),
                  note="the authors' program builds 16-byte rows from double weights, ours reads "
                       "floats;\nthe host's launches are left out of our times, not of the authors'")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
