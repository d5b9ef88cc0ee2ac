"""Image-based lighting (thesis 2.9.7): a sphere lit by an environment map, with directions drawn by an
alias table and uniformly, and the errors of both. The thesis has no numbers or pictures of it.
Records: image_based_lighting.csv and image_based_lighting_pictures.ppm, written by the example
image_based_lighting_on_cpu with `errors` and `pictures`."""

import matplotlib.pyplot as plt
import numpy as np

import style

NEEDS = (("cpu", "image_based_lighting.csv"), ("cpu", "image_based_lighting_pictures.ppm"))
NAMES = {"uniform": "uniform directions", "importance": "importance sampling"}


def pictures(results):
    """The map, and the spheres by uniform directions, by importance sampling and exactly."""
    strip = results.image("cpu", "image_based_lighting_pictures.ppm")
    height = len(strip)
    return np.split(strip, [2 * height, 3 * height, 4 * height], axis=1)


def show_picture(axes, title, picture):
    axes.imshow(picture, interpolation="nearest")
    axes.set_title(title, fontsize=9)
    axes.set_axis_off()


def show_errors(axes, series):
    for i, (strategy, rows) in enumerate(series.items()):
        samples = [int(row["samples"]) for row in rows]
        axes.plot(samples, [float(row["relative_error"]) for row in rows], label=NAMES[strategy],
                  ls="", color=style.COLOURS[i], marker=style.MARKERS[i])
        axes.plot(samples, [float(row["expected_error"]) for row in rows], color=style.COLOURS[i], lw=1,
                  label="expected from the variance" if i else None)
    axes.set(yscale="log", xlabel="directions per pixel",
             ylabel="root-mean-square error,\nrelative to the mean")
    axes.set_xscale("log", base=4, subs=[])
    axes.set_xticks(samples, samples)
    axes.legend(loc="lower left")
    style.reach(axes, y=(1e-3, 10))


def draw(results):
    rows = results.table("cpu", "image_based_lighting.csv")
    series = {strategy: [row for row in rows if row["strategy"] == strategy] for strategy in NAMES}
    environment, *spheres = pictures(results)
    titles = ("uniform directions,\n64 per pixel", "importance sampling,\n64 directions per pixel",
              "exact,\nsum over the map")
    figure = plt.figure(figsize=(7.2, 5.8))
    top, bottom = figure.subfigures(2, 1)
    for axes, title, sphere in zip(top.subplots(1, 3), titles, spheres):
        show_picture(axes, title, sphere)
    left, right = bottom.subplots(1, 2)
    show_picture(left, "environment map", environment)
    show_errors(right, series)

    def gain():
        uniform, importance = (float(each[-1]["relative_error"]) for each in series.values())
        if uniform > importance:
            return (f"With equally many directions, importance sampling has {uniform / importance:.0f} "
                    "times smaller errors")

    figure.suptitle(style.claim(gain, "Image-based lighting: errors by directions per pixel"), fontsize=10.5)
    first = rows[0]
    style.caption(figure, style.same_everywhere("image_based_lighting_on_cpu", rows),
                  note=f"map of {first['map_width']} × {first['map_height']} pixels · white diffuse sphere, "
                       f"{len(spheres[0])} pixels wide · Philox with seed 7")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
