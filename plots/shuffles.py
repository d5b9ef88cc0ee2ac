"""What the figures of the shuffling paper share: names of methods, the paper's machines, and the three
kinds of axes (throughput by length, one table's values, the discrepancy by length)."""

import matplotlib.pyplot as plt

import style

MACHINES = {"v100_32gb": "Tesla V100", "rtx_2080_shuffling": "RTX 2080",
            "xeon_e5": "2 × Xeon E5-2698, 40 cores"}
AT_ONE_TEST = 0.05  # the level of the paper, for each test alone

# The paper's methods: their name in published/, in our records of the GPU and the CPU, for a reader.
GPU_METHODS = (("gather", "gather", "random gather"),
               ("var_philox", "bijective2_varphilox", "VariablePhilox"),
               ("lcg", "bijective2_lcg", "LCG"), ("dart_throwing", "dart_throwing", "dart throwing"),
               ("sort_shuffle", "sort", "sort"))
CPU_METHODS = (("gather", "gather", "random gather"),
               ("var_philox", "bijective_varphilox", "VariablePhilox"),
               ("dart_throwing", "dart_throwing", "dart throwing"),
               ("std_shuffle", "std_shuffle", "std::shuffle"),
               ("rao_sandelius", "rao_sandelius", "Rao–Sandelius"),
               ("merge_shuffle", "merge_shuffle", "MergeShuffle"), ("sort_shuffle", "sort", "sort"))
OURS = ("cycle_walk", "cycle walking (ours)")


def published_points(table, method, machine):
    """(n, keys a second) of one method."""
    return [(int(row["items"]), row["value"] * 1e6)
            for row in style.published(table, method=method, machine=machine)]


def measured_points(record, method, plus_one=True):
    """(n, keys a second) of one method, at the paper's n = 2^k + 1 or at powers of two."""
    found = ((int(parts[2]), row) for parts, row in record.select("shuffle", method))
    return [(n, row["items_per_second"]) for n, row in found if n % 2 == plus_one]


def legend_in(figure, place, columns, *panels):
    """The legend of all panels in a place of a grid of its own, where it hides no data."""
    empty = figure.add_subplot(place)
    empty.set_axis_off()
    found = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            found.setdefault(label, handle)
    empty.legend(found.values(), found.keys(), loc="center", ncol=columns)


def throughput_axes(axes, title, points):
    """Keys a second by length on logarithmic axes; `points` is {label: [(n, keys a second), ...]}."""
    style.lines(axes, {label: [(n, rate / 1e6) for n, rate in found]
                       for label, found in points.items()}, markersize=3.5)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_title(title, fontsize=9.5)
    axes.set_xlabel("keys, n")


def comparison(figure, table, machine, record, methods, ours):
    """Two axes with the same scale: the paper's machine, and ours; the legend is below both."""
    grid = figure.add_gridspec(2, 2, height_ratios=[1, 0.16])
    left = figure.add_subplot(grid[0, 0])
    right = figure.add_subplot(grid[0, 1], sharex=left, sharey=left)
    right.tick_params(labelleft=False)
    throughput_axes(left, f"published: {MACHINES[machine]}",
                    {name: published_points(table, theirs, machine) for theirs, _, name in methods})
    measured = {name: measured_points(record, own) for _, own, name in methods}
    style.require(any(measured.values()), record)
    for own, name in ours:
        measured[name] = measured_points(record, own)
    throughput_axes(right, f"measured: {record.device()}", measured)
    left.set_ylabel("million 64-bit keys a second")
    legend_in(figure, grid[1, :], 4, left, right)


def gain(table, machine, record, method, n):
    """How many times as many keys a second as a published machine the record has, by the method's name
    in the table and in the record."""
    theirs, own = method
    return record.rate(f"shuffle/{own}/{n}") / dict(published_points(table, theirs, machine))[n]


def last_power(record, method="gather"):
    """k of the largest n = 2^k + 1 of a method."""
    return max(n for n, _ in measured_points(record, method)).bit_length() - 1


def verified(results, figure, *methods):
    """The rows of verify_shuffles.csv that belong to a figure and to these methods."""
    rows = [row for row in results.table("cpu", "verify_shuffles.csv")
            if row["figure"] == figure and row["method"] in methods]
    if not rows:
        raise style.Missing(f"verify_shuffles.csv has no {figure} of {', '.join(methods)}")
    return rows


def level_of_all(rows):
    """The level of a record, at which its tests were judged, for a reader."""
    return f"1% for all {0.01 / float(rows[0]['level']):.0f} tests"


def limits(rows):
    """For captions: the level of a record, and how many of these tests fail at that of one test."""
    failing = sum(float(row["p_value"]) < AT_ONE_TEST for row in rows)
    return (f"limits at a level of {level_of_all(rows)} together; with {AT_ONE_TEST:.0%} for each alone, "
            f"{failing} of these {len(rows)} would fail")


def verdicts(rows):
    """"passes" or "fails" where all rows agree, and the range of their lengths."""
    found = {row["verdict"] for row in rows}
    lengths = [int(row["n"]) for row in rows]
    return ({"pass": "passes", "fail": "fails"}[found.pop()] if len(found) == 1 else "",
            f"{min(lengths)} to {max(lengths)} items")


def permutations(rows):
    return f"{int(rows[0]['permutations']):,} permutations a point"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table_dots(figure, table, machine, record, methods):
    """One axes for each length of a published table: dots of both machines with their numbers, the
    lower one's on the left, a row for each method."""
    sizes = sorted({int(row["items"]) for row in style.published(table)})
    style.require(any(measured_points(record, own) for _, own, _ in methods), record)
    grid = figure.add_gridspec(3, 4, height_ratios=[1, 1, 0.16])
    first, shown = None, []
    for at, n in enumerate(sizes):
        axes = figure.add_subplot(grid[at // 4, at % 4], sharex=first, sharey=first)
        first = first or axes
        for i, (theirs, own, _) in enumerate(methods):
            there = dict(published_points(table, theirs, machine)).get(n)
            here = record.rate(f"shuffle/{own}/{n}")
            shown += [rate / 1e6 for rate in (there, here) if rate]
            if there and here:
                axes.plot([there / 1e6, here / 1e6], [i, i], color="#CCCCCC", zorder=1)
            for rate, look, name in ((there, {"marker": "s", "mfc": "white", "color": style.ORANGE},
                                      f"published, {MACHINES[machine]}"),
                                     (here, {"marker": "o", "color": style.BLUE},
                                      f"measured, {record.device()}")):
                if rate:
                    axes.plot(rate / 1e6, i, ls="", label=name if i == 0 else None, markersize=4, **look)
                    lower = there and here and rate == min(there, here)
                    axes.annotate(number(rate / 1e6), (rate / 1e6, i), xytext=(-4 if lower else 4, 0),
                                  textcoords="offset points", ha="right" if lower else "left",
                                  va="center", fontsize=7, color=look["color"])
        axes.set_xscale("log")
        axes.set_title(f"$n = 2^{{{(n - 1).bit_length() - 1}}} + 1$", fontsize=9)
        axes.grid(axis="y", visible=False)
        if at + 4 >= len(sizes):
            axes.set_xlabel("million keys/s", fontsize=8.5)
        axes.tick_params(labelleft=at % 4 == 0, labelbottom=at + 4 >= len(sizes))
    room = (max(shown) / min(shown))**0.32  # for the numbers
    first.set_xlim(min(shown) / room, max(shown) * room)
    first.set_yticks(range(len(methods)), [name for _, _, name in methods])
    first.set_ylim(len(methods) - 0.5, -0.5)
    legend_in(figure, grid[2, :], 2, first)


def discrepancy_axes(axes, results, series):
    """The squared discrepancy by length; `series` is {method: name}. Its sign is in the markers."""
    rows = verified(results, "mmd_by_length", *series)
    found = sorted({(int(row["n"]), float(row["threshold_asymptotic"])) for row in rows})
    axes.plot(*zip(*found), color=style.BLACK, ls="--", lw=1, label="limit by the central limit "
                                                                     "theorem")
    hoeffding = float(rows[0]["threshold_hoeffding"])
    axes.axhline(hoeffding, color=style.GREY, ls=":", lw=1.2,
                 label="limit by Hoeffding's inequality")
    for i, (method, name) in enumerate(series.items()):
        points = sorted((int(row["n"]), float(row["statistic"])) for row in rows
                        if row["method"] == method)
        look = {"color": style.COLOURS[i], "marker": style.MARKERS[i], "ls": ""}
        for sign, face in ((1, style.COLOURS[i]), (-1, "white")):
            chosen = [(n, abs(value)) for n, value in points if value * sign > 0]
            if chosen:
                axes.plot(*zip(*chosen), mfc=face, label=name if sign > 0 else f"{name}, below zero",
                          **look)
    axes.set(yscale="log", xlabel="items, n",
             ylabel="|squared maximum mean discrepancy|")
    axes.set_xscale("log", base=2)
    axes.set_ylim(1e-7, 1)
    return rows


def discrepancy_figure(results, method, label, subject, neutral):
    """The discrepancy of one method by length; `subject` is what its title speaks of, `neutral` the
    title where the verdicts differ."""
    figure, axes = plt.subplots()
    rows = discrepancy_axes(axes, results, {method: label})
    verdict, lengths = verdicts(rows)
    axes.set_title(f"{subject} {verdict} at every length from {lengths}" if verdict else neutral)
    axes.legend(loc="upper right")
    style.caption(figure, style.same_everywhere("verify_shuffles", rows),
                  note=f"{permutations(rows)}; {limits(rows)}")
    return figure
