"""Samples a second, 10^9 samples from tables of 10^6 to 10^9 rows: the CPU code and the GPUs of
the report (Table 3: its fastest sampler for each size) beside the limited sampler and the fastest
of the papers' on our GPU, and batched sampling on our CPU. Ours are written. Records: sampling,
cpu_sampling."""

import comparison
import style

NEEDS = (("gpu", "sampling"), ("cpu", "cpu_sampling"))


def draw(results):
    gpu, cpu = results.gpu("sampling"), results.cpu("cpu_sampling")
    name = gpu.device()
    fastest, samplers = comparison.fastest(gpu, f"{name}, fastest")
    rows = comparison.entries("report_table_3", "sampling_throughput", "items") + [
        comparison.sampled_on_cpu(cpu),
        comparison.sampled(gpu, f"{name}, limited", "our_gpu", "cached_limited_xorwow"),
        fastest]
    theirs = comparison.values(rows, "Tesla V100")

    def gains():
        gain = {n: fastest[2][n] / theirs[n] for n in theirs if n in fastest[2]}
        first, last = min(gain, key=int), max(gain, key=int)
        more = "" if first == last else (
            f",\n{gain[last]:.0f} times from {style.power_of_ten(last)}, where the V100 has the baseline "
            "sampler")
        return (f"By the papers' fastest sampler the {name} draws {gain[first]:.1f} times as fast as "
                f"the V100 from {style.power_of_ten(first)} rows{more}")

    return comparison.sampling_figure(
        rows, gpu, cpu,
        style.claim(gains, "Samples a second, by machine and size of the table"),
        note="; published GPUs: limited up to 10⁷, baseline at 10⁸"
        f"\nfastest of the papers' samplers: {', '.join(samplers).replace('_', ' ')}")


if __name__ == "__main__":
    style.main(__file__, draw)
