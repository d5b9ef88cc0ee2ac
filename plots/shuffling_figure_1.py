"""The shuffling paper's Figure 1, a random gather: the drawing, and how fast gathers are, on our GPU by
shuffle_methods and on the paper's two GPUs by its Tables 1 and 2. No shuffle can be faster."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)
PLACES = (5, 2, 7, 0, 3, 6, 1, 4)  # from which each place of the drawing reads


def drawing(axes):
    for i, place in enumerate(PLACES):
        for y, value, edge in ((1, i, style.BLUE), (0, place, style.ORANGE)):
            axes.add_patch(plt.Rectangle((i - 0.45, y - 0.12), 0.9, 0.24, fc="white", ec=edge))
            axes.text(i, y, "abcdefgh"[value], ha="center", va="center")
        axes.annotate("", (i, 0.13), (place, 0.87),
                      arrowprops={"arrowstyle": "->", "color": style.GREY, "lw": 0.9})
    axes.text(3.5, 1.2, "keys, read in random order", ha="center", color=style.BLUE)
    axes.text(3.5, -0.27, "output, written one after another", ha="center", color=style.ORANGE)
    axes.set(xlim=(-0.6, 7.6), ylim=(-0.4, 1.35))
    axes.set_axis_off()


def draw(results):
    record = results.gpu("shuffle_methods")
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.5], figsize=(8, 3.8))
    points = style.require(shuffles.measured_points(record, "gather"), record)
    drawing(left)
    shuffles.throughput_axes(right, "", {
        f"{record.device()}, measured": points,
        "Tesla V100, published": shuffles.published_points("shuffling_table_1", "gather", "v100_32gb"),
        "RTX 2080, published": shuffles.published_points("shuffling_table_2", "gather",
                                                         "rtx_2080_shuffling")})
    right.set_ylabel("million 64-bit keys a second")
    right.legend()
    slows_down = max(rate for _, rate in points) > 1.2 * max(points)[1]
    figure.suptitle("A random gather slows down once the keys outgrow the cache" if slows_down
                    else "How fast random gathers are",
                    fontsize=10.5)
    style.caption(figure, record, note="$n = 2^k + 1$; published: shuffling paper, Tables 1 and 2")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
