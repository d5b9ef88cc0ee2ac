"""Time to build a table of 10^7 and 10^8 items whose weights are a shuffled power law: the CPU
code and the GPUs of the thesis (Table 5.2) beside ours. On our GPU the chunked pack is the
thesis's method and the shared-memory pack the fastest of the papers' here. Records:
construction, cpu_construction."""

import comparison
import style

NEEDS = (("gpu", "construction"), ("cpu", "cpu_construction"))


def draw(results):
    gpu, cpus = results.gpu("construction"), results.cpus("cpu_construction")
    rows = comparison.construction_times("thesis_table_5_2", gpu, cpus)
    return comparison.construction_figure(rows, gpu, cpus, "A: RTX 2080")


if __name__ == "__main__":
    style.main(__file__, draw)
