"""What tuning group sizes and numbers of packing threads gains (thesis Table 4.1): time to build a
table of 10^7 items before and after, published for the RTX 2080 and measured on our GPU, with the
parameters that the search ended with. Record: tuning."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "tuning"),)
CASES = (("PSA\n1/i shuffled", "psa", "powerlaw_1_shuffled"), ("PSA\nuniform", "psa", "uniform"),
         ("PSA+\nuniform", "psa_plus", "uniform"))
PUBLISHED = (("packers", "worker_threads"), ("search", "group_size_p_ary"),
             ("split", "group_size_split"), ("pack", "group_size_pack"),
             ("PSA+", "group_size_psa_plus"))
OURS = (("packers", "pack_workers"), ("section", "section_items"), ("split", "split_group"),
        ("pack", "pack_group"), ("tile", "tile_items"), ("PSA+", "tile_group"),
        ("greedy from", "greedy_min_items"))


def published(method, distribution):
    """{quantity: value} before and after tuning."""
    found = style.published("thesis_table_4_1", distribution=distribution,
                            method=f"{method}/partial_p_ary/shared_memory")
    return [{row["quantity"]: row["value"] for row in found if row["note"] == when}
            for when in ("before tuning", "after tuning")]


def parameters(names, before, after):
    return "\n".join(f"{label} {before[name]:g} → {after[name]:g}"
                     for label, name in names if name in before)


def draw(results):
    record = results.gpu("tuning")
    cases = style.require([case for case in CASES if all(
        f"tuning/{case[1]}_{state}" in record.rows for state in (
            f"default/{case[2]}/10000000", f"trial/{case[2]}/10000000/0", f"best/{case[2]}/10000000"))], record)
    theirs = [published(method, distribution) for _, method, distribution in cases]
    ours = [[record.rows[f"tuning/{method}_{state}/{distribution}/10000000"]
             for state in ("default", "best")] for _, method, distribution in cases]
    times = ([[case[i]["construction_time"] for case in theirs] for i in (0, 1)],
             [[case[i]["ms"] for case in ours] for i in (0, 1)])
    # The search starts where the default is, which names no parameters.
    starts = [record.rows[f"tuning/{method}_trial/{distribution}/10000000/0"] for _, method, distribution in cases]
    ends = [(start, best) for start, (_, best) in zip(starts, ours)]
    gains = [[100 * (b / a - 1) for b, a in zip(*of)] for of in times]

    figure, panels = plt.subplots(1, 2, figsize=(7.2, 4.6))
    titles = ("RTX 2080, published", f"{record.device()}, ours")
    for axes, title, of, names, pairs in zip(panels, titles, times, (PUBLISHED, OURS), (theirs, ends)):
        style.bars(axes, [f"{label}\n" for label, *_ in cases], {"before tuning": of[0],
                                                                 "after tuning": of[1]})
        axes.set(title=title, ylabel="construction, ms", ylim=(0, 1.2 * max(map(max, of))))
        for x, pair in enumerate(pairs):
            axes.annotate(parameters(names, *pair), (x, 0), xycoords=("data", "axes fraction"),
                          xytext=(0, -34), textcoords="offset points", ha="center", va="top",
                          fontsize=6.5, color="#444444")
        axes.legend(loc="upper right", ncols=2)
    figure.suptitle(f"Tuning gains {style.span(gains[0], '{:.0f}')}% on the RTX 2080, "
                    f"{style.span(gains[1])}% on the {record.device()}", fontsize=10.5)
    style.caption(figure, record, note="10⁷ items, shared-memory pack with partial p-ary split; "
                  "packers: threads that pack; groups in threads, sections and tiles in items")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
