"""Drawing from a table of 10^7 rows on the CPU, samples stored, with one core and two, against the floor
that random reads of rows set: ours, Boost and the standard library by cpu_sampling, the program of the
thesis's authors, Abseil, GSL and NumPy from measured_peers.csv."""

import matplotlib.pyplot as plt

import style
import thread_dots

NEEDS = (("cpu", "cpu_sampling"),)
ITEMS = 10**7
DISTRIBUTION = "powerlaw_1_shuffled"
PEERS = ((("numpy",), "NumPy"), (("gsl_lowest", "gsl_highest"), "GSL"), (("absl",), "Abseil"),
         (("authors_lowest", "authors_highest"), "authors' program"))
OURS = (("std_discrete_distribution", "std::discrete_distribution"),
        ("boost_discrete_distribution_mt19937", "Boost, Mersenne twister"),
        ("direct", "wrsgpu: one at a time, 16-byte rows"), ("batched", "wrsgpu: batches, 16-byte rows"),
        ("batched_fixed_compact", "wrsgpu: batches, 8-byte rows"))


def draw(results):
    record = results.cpu("cpu_sampling")
    where = style.elsewhere(record, "cpu")

    def measured(sampler):
        return {t: row["items_per_second"] / 1e6 for t in thread_dots.LOOKS
                for _, row in record.select("sample", f"{sampler}_{t}t", DISTRIBUTION, str(ITEMS))}

    def elsewhere(methods):
        found = {}
        for t in thread_dots.LOOKS:
            values = tuple(row["value"] for method in methods for row in style.published(
                "measured_peers", machine="cpu", method=f"{method}_{t}t", items=ITEMS,
                quantity="sampling_throughput"))
            if values:
                found[t] = values
        return found

    peers = [(f"{name}{where}", elsewhere(methods)) for methods, name in PEERS]
    ours = thread_dots.ours(OURS, measured)
    style.require([rates for _, rates in ours if rates], record)
    figure, axes = plt.subplots(figsize=(7.6, 4.6))
    thread_dots.rows(axes, peers[:1] + ours[:1] + peers[1:3] + ours[1:2] + peers[3:] + ours[2:],
                     measured("gather_floor"))
    style.reach(axes, x=(0.7, 1000))
    axes.set(xlabel=f"million samples a second (N = {style.power_of_ten(ITEMS)})")

    def near_the_floor():
        if measured("batched")[2] > 0.8 * measured("gather_floor")[2]:
            return "In batches two cores draw nearly as fast as rows can be read at random"

    figure.suptitle(style.claim(near_the_floor, "Drawing from a table on the CPU"), fontsize=10.5)
    axes.legend(loc="lower left")
    style.caption(figure, record, style.apart(where or ", the same kind of machine",
                                              "authors' program, GSL, Abseil, NumPy"),
                  note="$i^{-1}$ shuffled; the floor reads rows of 16 bytes; a line is a range")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
