"""Pack methods that the thesis found not competitive (Table 5.1, and the slowdowns of its Sections
3.2.5 and 4.5.5): time to build a table of 10^7 uniform weights, by item; and relative to the baseline
pack on the same GPU, as the thesis states it of the packs: of the pack step, and of the whole. Table 5.1
does not say which loop sweeping ran, nor the thesis how lists were reordered, "for example round-robin
or random": such a value stands at both of our variants. Of reordered lists it has a range, "depending on
the weight distribution", and not of which order. Ours with 32 rows a section, and with 7,143, as many as
in the authors' program.
Record: uncompetitive_packs; the pack steps, if they were counted: counters."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "uncompetitive_packs"),)
IF_THERE = (("gpu", "counters"),)
# Label, name in Table 5.1, name and note of the published slowdown, and our name.
METHODS = (
    ("sweeping,\nplain loop", "sweeping_pack", ("sweeping_pack", "plain loop"), "sweeping"),
    ("sweeping,\none loop", "sweeping_pack", ("sweeping_pack", "one loop for both branches"),
     "sweeping_shared_loop"),
    ("precomputed\nweights", "precomputed_weights", ("precomputed_weights", "pack step alone"),
     "precomputed_weights"),
    ("reordered,\nround-robin", "reordered_lists", ("reordered_lists", "highest"),
     "reordered_round_robin"),
    ("reordered,\nrandom", "reordered_lists", ("reordered_lists", "highest"), "reordered_random"),
    ("pre-filled\ntable", None, ("prefilled_table", ""), "prefilled"))
ITEMS = 10**7
AS_THERE = 7143  # rows of a section, of 1,400


def pack_steps(results):
    """The record of counters and the time of each pack's kernel relative to the baseline's, or nothing
    where none was counted."""
    try:
        record = results.gpu("counters")
    except style.Missing:
        return None, {}
    rows = {name: record.counters.get(f"construct/partial_p_ary_{name}/uniform/{ITEMS}")
            for name in ("baseline", *(name for *_, name in METHODS))}
    if not all(rows.values()):
        return None, {}
    base = rows["baseline"]["duration_ns"]
    return record, {name: row["duration_ns"] / base for name, row in rows.items()}


def draw(results):
    record = results.gpu("uncompetitive_packs")
    times = {name: record.milliseconds(f"construct/partial_p_ary_{name}/uniform/{ITEMS}")
             for name in ("baseline", *(name for *_, name in METHODS))}
    nanoseconds = {name: ms and ms * 1e6 / ITEMS for name, ms in times.items()}
    base = style.require(nanoseconds["baseline"], record)
    long = {name: record.milliseconds(f"pack/partial_p_ary_{name}/uniform/{ITEMS}/rows:{AS_THERE}") for name in times}
    of_long = {name: ms and long["baseline"] and ms / long["baseline"] for name, ms in long.items()}
    relative = {name: ns and ns / base for name, ns in nanoseconds.items()}
    ours = f"{record.device()} (ours)"
    per_item = {row["method"]: row["value"] for row in style.published("thesis_table_5_1")}
    slowdown = {(row["method"], row["note"]): row["value"] for row in
                style.published("thesis_text", quantity="slowdown_against_baseline_pack")}
    labels = [label + ("" if times[name] else "\n(not measured)") for label, *_, name in METHODS]

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8.6, 6.2))
    style.bars(top, ["baseline", *labels], {
        "RTX 2080 (thesis, Table 5.1)": [per_item.get(theirs) for theirs in
                                         (None, *(theirs for _, theirs, *_ in METHODS))],
        f"{ours}, 1,400 sections": [ms and ms * 1e6 / ITEMS for ms in long.values()],
        f"{ours}, 32 rows a section": list(nanoseconds.values())})
    top.set(ylabel="construction,\nns an item")
    style.reach(top, y=(0, 3.4))
    top.legend(loc="upper right", ncols=2)

    counted, of_step = pack_steps(results)
    series = {"thesis, Sections 3.2.5 and 4.5.5, GPU not stated": [slowdown.get(theirs)
                                                                   for _, _, theirs, _ in METHODS],
              f"{ours}, construction, 1,400 sections": [of_long[name] for *_, name in METHODS],
              f"{ours}, construction, 32 rows a section": [relative[name] for *_, name in METHODS]}
    if counted:
        series[f"{ours}, pack step, one launch, 32 rows a section"] = [of_step[name] for *_, name in METHODS]
    style.bars(bottom, labels, series, label_format="{:.2f}")
    for bar, (_, _, (method, _), _) in zip(bottom.containers[0], METHODS):
        if lowest := slowdown.get((method, "lowest")):  # a range
            bar.set(y=lowest, height=bar.get_height() - lowest)
            bottom.annotate(f"{lowest:.2f}", (bar.get_x() + bar.get_width() / 2, lowest), xytext=(0, -2),
                            textcoords="offset points", ha="center", va="top", fontsize=7)
    bottom.axhline(1, color=style.BLACK, lw=0.8, ls="--", zorder=0)
    for text in bottom.texts:
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.6})
    bottom.set(ylabel="time, relative to\nthe baseline pack")
    style.reach(bottom, y=(0, 6.4))
    bottom.legend(loc="upper right")

    def sweeping():
        return (f"On the {record.device()} sweeping takes {of_long['sweeping']:.1f} times the baseline's time with 1,400 "
                f"sections, {relative['sweeping']:.2f} times with 32 rows a section")

    figure.suptitle(style.claim(sweeping, "Packs that the thesis found not competitive"), fontsize=10.5)
    style.caption(figure, *filter(None, (record, counted)), note="10⁷ uniform weights, partial p-ary "
                  "split; where the thesis does not say which variant it measured, its value\nstands at "
                  "both; published slowdowns are of the pack method, of precomputed weights of the pack\n"
                  "step alone, of reordered lists those of several weights, of an order that is not stated")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
