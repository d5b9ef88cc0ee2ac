"""Samples a second, 10^9 samples from tables of 10^6 to 10^9 rows: the CPU code and the GPUs of
the report (Table 3: its fastest sampler for each size) beside the limited sampler and the fastest
one on the H200, and batched sampling on our CPU. Ours are written. Records: sampling (H200),
cpu_sampling."""

import comparison
import style

NEEDS = (("gpu", "sampling"), ("cpu", "cpu_sampling"))


def draw(results):
    gpu, cpu = results.gpu("sampling"), results.cpu("cpu_sampling")
    name = comparison.our_gpu(gpu)
    fastest, samplers = comparison.fastest(gpu, f"{name}, fastest")
    rows = comparison.entries("report_table_3", "sampling_throughput", "items") + [
        comparison.sampled(cpu, comparison.our_cores(cpu), "our_cpu", "batched_2t",
                           comparison.DRAWN_ON_CPU),
        comparison.sampled(gpu, f"{name}, limited", "our_gpu", "cached_limited_xorwow"),
        fastest]
    theirs = comparison.values(rows, "Tesla V100")
    gain = {n: fastest[2][n] / theirs[n] for n in theirs}
    return comparison.sampling_figure(
        rows, gpu, cpu,
        f"The H200 draws {gain['1000000']:.1f} times as fast as the V100 from $10^6$ rows, "
        f"{gain['100000000']:.0f} times from $10^8$",
        note="; published GPUs: limited up to 10⁷, baseline at 10⁸"
        f"\nour fastest: {', '.join(samplers).replace('_', ' ')}")


if __name__ == "__main__":
    style.main(__file__, draw)
