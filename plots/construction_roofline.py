"""How long building on the GPU takes by number of items, between the floor (a copy of as many bytes as
must be moved) and the program of the thesis's authors on the same GPU (measured_peers.csv). Ours is the
merge of beyond_construction, with 8-byte rows from float weights and with 16-byte rows."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "beyond_construction"),)
DISTRIBUTIONS = (("uniform", "uniform weights"), ("powerlaw_1_shuffled", "$i^{-1}$, shuffled"))
AUTHORS = {"psa": "authors' program, PSA", "psa_plus": "authors' program, PSA+"}


def draw(results):
    record = results.gpu("beyond_construction")
    figure, both = plt.subplots(1, 2, sharey=True, figsize=(8.2, 4.4))
    for axes, (distribution, title) in zip(both, DISTRIBUTIONS):
        series = {name: [(int(row["items"]), row["value"]) for row in style.published(
                      "measured_peers", machine="h200", method=method, distribution=distribution,
                      quantity="construction_time")] for method, name in AUTHORS.items()}
        for method, name in (("merge_wide", "merge, 16-byte rows"), ("merge", "merge, 8-byte rows")):
            rows = [(int(parts[3]), row) for parts, row
                    in record.select("construct", method, distribution)]
            series[name] = [(n, record.milliseconds(f"construct/{method}/{distribution}/{n}"))
                            for n, _ in rows]
        # The record keeps the floor as a share of the time.
        floor = [(n, record.milliseconds(f"construct/merge/{distribution}/{n}")
                  * row["percent_of_floor"] / 100) for n, row in rows]
        style.lines(axes, series)
        axes.plot(*zip(*sorted(floor)), color=style.BLACK, lw=1, label="floor: a copy of 16 bytes an "
                                                                       "item")
        axes.set(xscale="log", yscale="log", xlabel="items, N")
        axes.set_title(title, fontsize=9.5)
    both[0].set_ylabel("time to build, ms")
    both[0].set_ylim(0.002, 30)
    both[0].legend(loc="lower right")
    figure.suptitle("The merge builds in about twice a copy's time from $10^8$ items on, "
                    "4 to 7 times as fast as the authors' program", fontsize=10.5)
    style.caption(figure, record, "authors' program: measured_peers.csv",
                  note="the authors' program builds 16-byte rows from double weights, the merge reads "
                       "floats")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
