"""How long building on the GPU takes by number of items, between the floor (a copy of as many bytes as
must be moved) and the program of the thesis's authors (measured_peers.csv). Ours is the
merge of beyond_construction, with 8-byte rows from float weights and with 16-byte rows."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "beyond_construction"),)
DISTRIBUTIONS = (("uniform", "uniform weights"), ("powerlaw_1_shuffled", "$i^{-1}$, shuffled"))
AUTHORS = {"psa": "authors' program, PSA", "psa_plus": "authors' program, PSA+"}


def draw(results):
    record = results.gpu("beyond_construction")
    elsewhere = style.elsewhere(record, "h200")
    style.require(list(record.select("construct", "merge")), record)
    shares, gains = [], []
    figure, both = plt.subplots(1, 2, sharey=True, figsize=(8.2, 4.4))
    for axes, (distribution, title) in zip(both, DISTRIBUTIONS):
        series = {name: [(int(row["items"]), row["value"]) for row in style.published(
                      "measured_peers", machine="h200", method=method, distribution=distribution,
                      quantity="construction_time")] for method, name in AUTHORS.items()}
        authors = [min(times) for n in (10**7, 10**8)
                   if (times := [ms for points in series.values() for at, ms in points if at == n])]
        series = {f"{name}{elsewhere}": points for name, points in series.items()}
        for method, name in (("merge_wide", "merge, 16-byte rows"), ("merge", "merge, 8-byte rows")):
            rows = [(int(parts[3]), row) for parts, row
                    in record.select("construct", method, distribution)]
            series[name] = [(n, record.milliseconds(f"construct/{method}/{distribution}/{n}"))
                            for n, _ in rows]
        # The record keeps the floor as a share of the time.
        floor = [(n, record.milliseconds(f"construct/merge/{distribution}/{n}")
                  * row["percent_of_floor"] / 100) for n, row in rows]
        gains += [time / record.milliseconds(f"construct/merge/{distribution}/{n}")
                  for n, time in zip((10**7, 10**8), authors)
                  if f"construct/merge/{distribution}/{n}" in record.rows]
        shares += [100 / row["percent_of_floor"] for n, row in rows if n >= 10**8]
        style.lines(axes, series)
        if floor:
            axes.plot(*zip(*sorted(floor)), color=style.BLACK, lw=1,
                      label="floor: a copy of 16 bytes an item")
        axes.set(xscale="log", yscale="log", xlabel="items, N")
        axes.set_title(title, fontsize=9.5)
    both[0].set_ylabel("time to build, ms")
    style.reach(both[0], y=(0.002, 30))
    both[0].legend(loc="lower right")

    def limits():
        if not elsewhere:
            return (f"The merge builds in {style.span(shares)} times a copy's time from $10^8$ items on,"
                    f"\n{style.span(gains)} times as fast as the authors' program")

    figure.suptitle(style.claim(limits, "Time to build a table, above the time of a copy"),
                    fontsize=10.5)
    style.caption(figure, record, f"authors' program: measured_peers.csv{elsewhere}",
                  note="the authors' program builds 16-byte rows from double weights, the merge reads "
                       "floats")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
