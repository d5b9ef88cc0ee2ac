"""Samples a second, 10^9 samples from tables of 10^6 to 10^9 rows: the CPU code and the GPUs of
the thesis (Table 5.3: sectioned limited sampling up to 10^7 rows, then the baseline) beside the
same samplers on our GPU, with the generator of the thesis, and beside batched sampling on our
CPU. The thesis keeps no sample; ours are written unless it says otherwise. Records: sampling,
cpu_sampling."""

import comparison
import style

NEEDS = (("gpu", "sampling"), ("cpu", "cpu_sampling"))


def draw(results):
    gpu, cpu = results.gpu("sampling"), results.cpu("cpu_sampling")
    name = gpu.device()
    rows = comparison.entries("thesis_table_5_3", "sampling_throughput", "items", scale=1e-3) + [
        comparison.sampled_on_cpu(cpu),
        comparison.sampled(gpu, f"{name}, baseline", "our_gpu", "baseline_xorwow"),
        comparison.sampled(gpu, f"{name}, limited", "our_gpu", "cached_limited_xorwow"),
        comparison.sampled(gpu, f"{name}, limited, no output", "our_gpu",
                           "cached_limited_xorwow_no_output")]
    ours, theirs = (comparison.values(rows, row) for row in (f"{name}, limited", "A: RTX 2080"))

    def gains():
        gain = [ours[n] / theirs[n] for n in ("1000000", "10000000")]
        return (f"Up to $10^7$ rows the {name} draws {style.span(gain, '{:.0f}')} times as fast as "
                "the RTX 2080")

    return comparison.sampling_figure(
        rows, gpu, cpu, style.claim(gains, "Samples a second, by machine and size of the table"),
        note="; A and B: limited up to 10⁷, baseline at 10⁸")


if __name__ == "__main__":
    style.main(__file__, draw)
