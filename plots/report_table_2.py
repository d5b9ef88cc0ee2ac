"""Time to build a table of 10^7 and 10^8 items whose weights are a shuffled power law: the CPU
code and the GPUs of the report (Table 2) beside ours. On our GPU the chunked pack is the report's
method and the shared-memory pack the fastest of the papers' here. The report does not state the
exponent; ours is 1. Records: construction, cpu_construction."""

import comparison
import style

NEEDS = (("gpu", "construction"), ("cpu", "cpu_construction"))


def draw(results):
    gpu, cpus = results.gpu("construction"), results.cpus("cpu_construction")
    rows = comparison.construction_times("report_table_2", gpu, cpus)
    return comparison.construction_figure(rows, gpu, cpus, "Tesla V100")


if __name__ == "__main__":
    style.main(__file__, draw)
