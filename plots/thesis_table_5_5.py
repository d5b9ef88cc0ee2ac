"""Energy of drawing 10^9 samples from a table of 10^8 rows, weights i^-1 in random order: the
machines of the thesis (Table 5.5) beside our GPU, with the baseline sampler, and ours also with
sections in shared memory, samples written. The thesis measures whole machines at the plug and
subtracts what they take when idle; ours is what the card counts, without its host. Record: energy."""

import comparison
import style

NEEDS = (("gpu", "energy"),)


def draw(results):
    return comparison.energy_figure(
        "thesis_table_5_5", results.gpu("energy"), {"sampling_energy": "J for $10^9$ samples"},
        lambda gpu, ours, theirs: f"For $10^9$ samples the {gpu} takes {ours['sampling_energy']:.1f} J "
        f"above idle, the RTX 2080 with its host {theirs['sampling_energy']:.0f} J", "A: RTX 2080",
        note="published: at the plug, less what the idle machine takes; ours: the card, without "
        "its host\nbaseline sampler (A, B, ours), sections in shared memory where it says so",
        like="joules_above_idle")


if __name__ == "__main__":
    style.main(__file__, draw)
