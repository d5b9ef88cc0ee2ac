"""The shuffling paper's Figure 7: chi-squared over the 120 permutations of 5 items, by rounds of the
bijection, from verify_shuffles.csv; below, what is near the limits. The paper's text gives numbers for
the LCG (about 500,000) and for the rounds below which VariablePhilox fails (20)."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)
AT_5_PERCENT = 145.46  # of chi-squared with 119 degrees of freedom
BIJECTIONS = {"var_philox": "VariablePhilox", "lazy": "our Feistel network over a × b"}


def passes_from(points, limit):
    """From how many rounds on a bijection stays below a limit."""
    above = max((rounds for rounds, statistic in points if statistic > limit), default=0)
    return min(rounds for rounds, _ in points if rounds > above)


def first_pass(points, limit):
    """With how many rounds a bijection first stays below a limit, and what fails with more."""
    first = min(rounds for rounds, statistic in points if statistic <= limit)
    return first, [rounds for rounds, statistic in points if rounds > first and statistic > limit]


def title(by_rounds, limit, of_all):
    passing = []
    for words, points in zip(("VariablePhilox passes from {} rounds on", "ours from {}"),
                             by_rounds.values()):
        first, failing = first_pass(points, AT_5_PERCENT)
        passing.append(words.format(first)
                       + f" but for {' and '.join(map(str, failing))}" * bool(failing))
    enough = " and ".join(f"from {passes_from(points, limit)}" for points in by_rounds.values())
    return f"At 5% a test, {', '.join(passing)};\nat {of_all}, {enough} on"


def draw(results):
    rows = shuffles.verified(results, "chi_squared_by_rounds", *BIJECTIONS, "lcg", "std_shuffle")
    (lcg,) = style.published("shuffling_text", method="lcg", quantity="chi_squared_statistic")
    (rounds,) = style.published("shuffling_text", quantity="rounds_that_fail_chi_squared_below")
    alone = {row["method"]: float(row["statistic"]) for row in rows if not row["rounds"]}
    by_rounds = {name: sorted((int(row["rounds"]), float(row["statistic"])) for row in rows
                              if row["method"] == method and row["rounds"])
                 for method, name in BIJECTIONS.items()}
    limit, of_all = float(rows[0]["threshold_chi_squared"]), shuffles.level_of_all(rows)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 5.8), sharex=True)
    for axes in (top, bottom):
        style.lines(axes, by_rounds)
        if "std_shuffle" in alone:
            axes.axhline(alone["std_shuffle"], color=style.PURPLE, ls="-.",
                         label=f"std::shuffle: {alone['std_shuffle']:.0f}")
        axes.axhline(limit, color=style.BLACK, ls="--", lw=1, label=f"limit at {of_all}: {limit:.0f}")
        axes.axhline(AT_5_PERCENT, color=style.GREY, ls="--", lw=1,
                     label=f"limit at 5% a test: {AT_5_PERCENT:.0f}")
        axes.axvline(rounds["value"], color=style.GREY, lw=6, alpha=0.3, zorder=0,
                     label=f"published: VariablePhilox fails below {rounds['value']:.0f} rounds")
        axes.grid(axis="x", visible=False)
    if "lcg" in alone:
        top.axhline(alone["lcg"], color=style.GREEN, ls="-.", label=f"LCG: {alone['lcg']:,.0f}")
    top.axhline(lcg["value"], color=style.GREEN, ls=":", lw=1,
                label=f"LCG, published: about {lcg['value']:,.0f}")
    top.set(yscale="log", ylim=(60, 1.5e6), ylabel="chi-squared statistic")
    top.legend(loc="upper right", bbox_to_anchor=(1, 0.93))
    bottom.set(ylim=(80, 220), xlabel="rounds", ylabel="the same, near the limits")
    figure.suptitle(style.claim(lambda: title(by_rounds, limit, of_all),
                                "Chi-squared of two bijections by rounds"), fontsize=10.5)
    style.caption(figure, style.same_everywhere("verify_shuffles", rows),
                  note=f"permutations of 5 items, 119 degrees of freedom, {shuffles.permutations(rows)};"
                       "\nat 5%, one test in twenty of a perfect shuffle fails")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
