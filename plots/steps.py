"""The steps of a construction, as figures show them."""

import style

# What the record's counters <step>_us are called in legends; the smallest ones are one step here.
STEPS = {"sum": ("sum_us",), "partition": ("partition_us",), "prefix sums": ("prefix_sums_us",),
         "split": ("split_us", "put_in_order_us"), "pack": ("pack_us",)}
HATCHES = ("", "--", "\\\\", "xx", "//")
COLOURS = (style.GREY, style.GREEN, style.YELLOW, style.ORANGE, style.BLUE)


def microseconds(row, step):
    return sum(row[counter] for counter in STEPS[step])


def looks():
    return [{"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.4, "label": step}
            for step, colour, hatch in zip(STEPS, COLOURS, HATCHES)]


def legend(axes):
    """Handles and labels, each step once."""
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles))
    return list(once.values()), list(once)
