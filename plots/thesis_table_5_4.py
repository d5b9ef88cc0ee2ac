"""Energy of building a table of 10^8 items whose weights are i^-1 in random order: the machines of
the thesis (Table 5.4) beside our GPU, with the chunked pack, and ours also with the one in shared
memory. The thesis measures whole machines at the plug and subtracts what they take when idle; ours
is what the card counts, without its host. Record: energy."""

import comparison
import style

NEEDS = (("gpu", "energy"),)


def draw(results):
    return comparison.energy_figure(
        "thesis_table_5_4", results.gpu("energy"), {"construction_energy": "J for $10^8$ items"},
        lambda gpu, ours, theirs: f"For $10^8$ items the {gpu} takes {ours['construction_energy']:.1f} J "
        f"above idle, the RTX 2080 with its host {theirs['construction_energy']:.0f} J", "A: RTX 2080",
        note="published: at the plug, less what the idle machine takes; ours: the card, without "
        "its host\nhollow: extrapolated from smaller tables; chunked pack (A, B, ours), the one in shared "
        "memory where it says so", like="joules_above_idle")


if __name__ == "__main__":
    style.main(__file__, draw)
