"""The shuffling paper's Figure 7: chi-squared over the 120 permutations of 5 items, by rounds of the
bijection, from verify_shuffles.csv. The paper's text gives numbers for the LCG (about 500,000) and for
the rounds below which VariablePhilox fails (20)."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)
AT_5_PERCENT = 145.46  # of chi-squared with 119 degrees of freedom


def draw(results):
    rows = shuffles.verified(results, "chi_squared_by_rounds", "var_philox", "lazy", "lcg",
                             "std_shuffle")
    (lcg,) = style.published("shuffling_text", method="lcg", quantity="chi_squared_statistic")
    (rounds,) = style.published("shuffling_text", quantity="rounds_that_fail_chi_squared_below")
    alone = {row["method"]: float(row["statistic"]) for row in rows if not row["rounds"]}
    figure, axes = plt.subplots()
    style.lines(axes, {name: [(int(row["rounds"]), float(row["statistic"])) for row in rows
                              if row["method"] == method and row["rounds"]]
                       for method, name in (("var_philox", "VariablePhilox"),
                                            ("lazy", "our Feistel network over a × b"))})
    if "lcg" in alone:
        axes.axhline(alone["lcg"], color=style.GREEN, ls="-.", label=f"LCG: {alone['lcg']:,.0f}")
    axes.axhline(lcg["value"], color=style.GREEN, ls=":", lw=1,
                 label=f"LCG, published: about {lcg['value']:,.0f}")
    if "std_shuffle" in alone:
        axes.axhline(alone["std_shuffle"], color=style.PURPLE, ls="-.",
                     label=f"std::shuffle: {alone['std_shuffle']:.0f}")
    limit = float(rows[0]["threshold_chi_squared"])
    axes.axhline(limit, color=style.BLACK, ls="--", lw=1,
                 label=f"limit of all {0.01 / float(rows[0]['level']):.0f} tests at 1%: {limit:.0f}")
    axes.axhline(AT_5_PERCENT, color=style.GREY, ls="--", lw=1,
                 label=f"limit of one test at 5%: {AT_5_PERCENT:.0f}")
    axes.axvline(rounds["value"], color=style.GREY, lw=6, alpha=0.3,
                 label=f"published: VariablePhilox fails below {rounds['value']:.0f} rounds")

    def passing():
        verdicts = {row["method"]: row["verdict"] for row in rows if not row["rounds"]}
        failed = max(int(row["rounds"]) for row in rows if row["rounds"] and row["verdict"] == "fail")
        enough = min(int(row["rounds"]) for row in rows if row["rounds"] and int(row["rounds"]) > failed)
        if verdicts == {"lcg": "fail", "std_shuffle": "pass"}:
            return f"From {enough} rounds on both bijections stay below the limit of all tests"

    axes.set(yscale="log", ylim=(60, 1.5e6), xlabel="rounds", ylabel="chi-squared statistic",
             title=style.claim(passing, "Chi-squared of two bijections by rounds"))
    axes.legend(loc="upper right", bbox_to_anchor=(1, 0.9))
    axes.grid(axis="x", visible=False)
    style.caption(figure, shuffles.VERIFIED,
                  note="permutations of 5 items, 119 degrees of freedom, " + shuffles.permutations(rows))
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
