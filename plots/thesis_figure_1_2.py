"""The thesis's Figure 1.2: pseudo-random points of a square beside quasi-random ones. Ours are by
Philox and of the Halton sequence to the bases 2 and 3. The thesis has only a picture.
Record: figure_1_2.csv, written by `illustrations points`."""

import matplotlib.pyplot as plt

import style

NEEDS = (("cpu", "figure_1_2.csv"),)


def draw(results):
    rows = results.table("cpu", "figure_1_2.csv")
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 4.1))
    names = {"philox": "pseudo-random (Philox)", "halton": "quasi-random (Halton, bases 2 and 3)"}
    for i, (axes, (name, label)) in enumerate(zip(panels, names.items())):
        points = [(float(row["x"]), float(row["y"])) for row in rows if row["sequence"] == name]
        axes.plot(*zip(*points), ".", ms=4, mew=0, color=style.COLOURS[i])
        axes.set_title(label, fontsize=9.5)
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="x", ylabel="y")
        axes.spines[["top", "right"]].set_visible(True)
        axes.grid(visible=False)
    figure.suptitle("Pseudo-random points leave gaps and clusters, quasi-random ones do not",
                    fontsize=10.5)
    style.caption(figure, style.same_everywhere("illustrations points", rows),
                  note="500 points each · Philox with seed 1")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
