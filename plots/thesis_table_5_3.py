"""Samples a second, 10^9 samples from tables of 10^6 to 10^9 rows: the CPU code and the GPUs of
the thesis (Table 5.3: sectioned limited sampling up to 10^7 rows, then the baseline) beside the
same samplers on our GPU as there, xorwow with a subsequence a thread and no sample kept, and by
Philox with all kept; and beside batched sampling on our CPUs. Records: sampling, cpu_sampling."""

import comparison
import samplers
import style

NEEDS = (("gpu", "sampling"), ("cpu", "cpu_sampling"))


def draw(results):
    gpu, cpus = results.gpu("sampling"), results.cpus("cpu_sampling")
    name = gpu.device()
    rows = comparison.entries("thesis_table_5_3", "sampling_throughput", "items", scale=1e-3) + [
        *comparison.sampled_on_cpus(cpus),
        comparison.sampled(gpu, f"{name}, baseline, as there", "our_gpu", "baseline" + samplers.AS_IN_THESIS),
        comparison.sampled(gpu, f"{name}, limited, as there", "our_gpu", "cached_limited" + samplers.AS_IN_THESIS),
        comparison.sampled(gpu, f"{name}, limited, Philox", "our_gpu", "cached_limited")]
    ours, theirs = (comparison.values(rows, row) for row in (f"{name}, limited, as there", "A: RTX 2080"))

    def gains():
        gain = [ours[n] / theirs[n] for n in ("1000000", "10000000")]
        return (f"Up to $10^7$ rows the {name} draws {style.span(gain, '{:.0f}')} times as fast as "
                "the RTX 2080")

    return comparison.sampling_figure(
        rows, gpu, cpus, style.claim(gains, "Samples a second, by machine and size of the table"),
        note="; A and B: limited up to 10⁷, baseline at 10⁸"
        "\nas there: xorwow with a subsequence a thread, nothing stored; Philox: samples stored")


if __name__ == "__main__":
    style.main(__file__, draw)
