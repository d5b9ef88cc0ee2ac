"""What the figures of the CPU share: a row for each program, a dot for one core and one for two."""

import style

LOOKS = {1: {"color": style.BLUE, "marker": "o"}, 2: {"color": style.ORANGE, "marker": "s"}}


def ours(names, measured):
    """[(name, {threads: value}), ...] for `rows`: of each series of [(series, name), ...] what it was
    measured at, which its name says if that is nothing."""
    found = [(name, measured(series)) for series, name in names]
    return [(name if values else f"{name}: not measured", values) for name, values in found]


def rows(axes, values, floors, number="{:.3g}"):
    """`values` is [(name, {threads: value}), ...] from the top; `floors` is {threads: value}. A value
    of two numbers is a range."""
    for threads, look in LOOKS.items():
        if threads in floors:
            axes.axvline(floors[threads], color=look["color"], ls="--" if threads == 1 else ":", lw=1.2,
                         label=f"floor, {threads} core{'s' * (threads > 1)}")
        shift = 0.16 * (2 * threads - 3)
        for i, (_, found) in enumerate(values):
            if threads not in found:
                continue
            ends = found[threads] if isinstance(found[threads], tuple) else (found[threads],)
            axes.plot(ends, [i + shift] * len(ends), markersize=5, **look)
            axes.annotate("–".join(number.format(v) for v in ends), (max(ends), i + shift),
                          xytext=(6, 0), textcoords="offset points", va="center", fontsize=7,
                          bbox={"fc": "white", "ec": "none", "pad": 0.3})
        axes.plot([], [], ls="", label=f"{threads} core{'s' * (threads > 1)}", **look)
    axes.set_yticks(range(len(values)), [name for name, _ in values])
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
