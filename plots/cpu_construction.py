"""Building a table of 10^7 rows on the CPU, with one core and two, against the floor (reading double
weights and writing rows of 16 bytes): ours and Boost's and the standard library's classes by
cpu_construction, the program of the thesis's authors, Abseil and GSL from measured_peers.csv."""

import matplotlib.pyplot as plt

import style
import thread_dots

NEEDS = (("cpu", "cpu_construction"),)
ITEMS = 10**7
DISTRIBUTIONS = (("uniform", "uniform weights"), ("powerlaw_1_shuffled", "$i^{-1}$, shuffled"))
PEERS = (("gsl", "GSL"), ("absl", "Abseil"), ("vose", "authors' Vose"), ("sweep", "authors' sweep"),
         ("psa", "authors' PSA"), ("psa_plus", "authors' PSA+"))
OURS = (("boost_discrete_distribution", "Boost"), ("std_discrete_distribution", "std (sums, no table)"),
        ("vose", "wrsgpu: Vose"), ("sweep", "wrsgpu: sweep"), ("psa", "wrsgpu: PSA"),
        ("psa_plus", "wrsgpu: PSA+"),
        ("sectioned_sweep", "wrsgpu: sectioned sweep"),
        ("sectioned_sweep_fixed_compact", "wrsgpu: sectioned sweep,\n8-byte rows"))


def draw(results):
    record = results.cpu("cpu_construction")
    where = style.elsewhere(record, "cpu")
    shares, drawn = [], []
    figure, both = plt.subplots(1, 2, sharex=True, sharey=True, figsize=(8.6, 5.4))
    for axes, (distribution, title) in zip(both, DISTRIBUTIONS, strict=True):
        def measured(method):
            times = {t: record.milliseconds(f"construct/{method}_{t}t/{distribution}/{ITEMS}")
                     for t in thread_dots.LOOKS}
            return {t: time for t, time in times.items() if time is not None}

        def elsewhere(method):
            return {t: row["value"] for t in thread_dots.LOOKS for row in style.published(
                "measured_peers", machine="cpu", method=f"{method}_{t}t", distribution=distribution,
                items=ITEMS, quantity="construction_time")}

        peers = [(f"{name}{where}", elsewhere(method)) for method, name in PEERS]
        ours = thread_dots.ours(OURS, measured)
        thread_dots.rows(axes, peers[:2] + ours[:2] + peers[2:] + ours[2:], measured("copy_floor"))
        axes.set_title(title, fontsize=9.5)
        drawn += [times for _, times in ours if times]
        own, floor = measured("sectioned_sweep").get(2), measured("copy_floor").get(2)
        if own and floor:
            shares.append(own / floor)
        axes.set(xlabel=f"time to build, ms (N = {style.power_of_ten(ITEMS)})", xscale="log")
        style.reach(axes, x=(3.5, 900))
    both[0].legend(loc="upper left", bbox_to_anchor=(0.2, 1))
    style.require(drawn, record)

    def limits():
        return f"On two cores the sectioned sweep builds in {style.span(shares)} times the floor"

    figure.suptitle(style.claim(limits, "Time to build a table on the CPU"), fontsize=10.5)
    style.caption(figure, record, style.apart(where or ", the same kind of machine",
                                              "authors' program, GSL, Abseil"),
                  note="double weights; 16-byte rows where nothing else is said; Abseil and GSL: "
                       "uniform weights only\nfloor: double weights read, as many 16-byte rows written")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
