"""Names and looks of the papers' four samplers, the same in every figure that compares them."""

import matplotlib.pyplot as plt

import style

SAMPLERS = {"baseline": "baseline", "cached": "cached sectioned",
            "cached_limited": "cached limited sectioned",
            "shared_memory": "shared memory sectioned"}
# The thesis's generator and seeding, a subsequence of xorwow for each thread, no sample stored, on our grid.
AS_IN_THESIS = "_xorwow_subsequence_no_output"
SET_UPS = {"": "Philox, samples stored", AS_IN_THESIS: "the thesis's xorwow and seeding, nothing stored"}
COLOURS = dict(zip(SAMPLERS, style.COLOURS))


def set_ups(record):
    """The set-ups that were measured: suffix of the samplers' names -> title."""
    return {suffix: title for suffix, title in SET_UPS.items()
            if not suffix or any(True for _ in record.names("sample", f"baseline{suffix}"))}


def panels(found):
    """A figure with axes for each set-up, titled if there are several."""
    figure, axes = plt.subplots(1, len(found), figsize=(7.2 if len(found) == 1 else 11.4, 4.6), squeeze=False,
                                sharey=True)
    if len(found) > 1:
        for each, title in zip(axes[0], found.values()):
            each.set_title(title, fontsize=9.5)
    return figure, dict(zip(found, axes[0]))


def legend_below(axes, handles, is_wide):
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4 if is_wide else 2,
                columnspacing=1.2)
