"""Energy of building a table of 10^8 items and of drawing 10^9 samples from it, weights of a
shuffled power law: the machines of the report (Table 4) beside our GPU. The report measures CPUs
at the plug and subtracts what they take when idle; to what its GPUs report it adds 40 W for the
host. Ours is what the card counts, without its host. Record: energy."""

import comparison
import style

NEEDS = (("gpu", "energy"),)


def draw(results):
    return comparison.energy_figure(
        "report_table_4", results.gpu("energy"),
        {"construction_energy": "J for $10^8$ items",
         "sampling_energy": "J for $10^9$ samples"},
        lambda gpu, ours, theirs: f"The {gpu} card takes "
        f"{theirs['construction_energy'] / ours['construction_energy']:.1f} times less energy "
        "to build than V100 and host, "
        f"{theirs['sampling_energy'] / ours['sampling_energy']:.1f} times less to draw",
        "Tesla V100",
        note="published: CPUs at the plug less idle, GPUs as the card reports and 40 W; ours: the "
        "card, without its host\nhollow: extrapolated from N = 6·10⁷; chunked pack and baseline "
        "sampler on GPUs, both in shared memory where it says so")


if __name__ == "__main__":
    style.main(__file__, draw)
