"""Samples a second, 10^9 samples from tables of 10^6 to 10^9 rows: the CPU code and the GPUs of
the report (Table 3: its fastest sampler for each size) beside the limited sampler on our GPU as there,
xorwow with a subsequence a thread and no sample kept, the fastest of the papers' with all kept, and
batched sampling on our CPUs. Records: sampling, cpu_sampling."""

import comparison
import samplers
import style

NEEDS = (("gpu", "sampling"), ("cpu", "cpu_sampling"))


def draw(results):
    gpu, cpus = results.gpu("sampling"), results.cpus("cpu_sampling")
    name = gpu.device()
    fastest, fastest_of = comparison.fastest(gpu, f"{name}, fastest")
    rows = comparison.entries("report_table_3", "sampling_throughput", "items") + [
        *comparison.sampled_on_cpus(cpus),
        comparison.sampled(gpu, f"{name}, limited, as there", "our_gpu", "cached_limited" + samplers.AS_IN_THESIS),
        comparison.sampled(gpu, f"{name}, baseline, as there", "our_gpu", "baseline" + samplers.AS_IN_THESIS),
        fastest]
    ours = {**comparison.values(rows, f"{name}, baseline, as there"),
            **{n: rate for n, rate in comparison.values(rows, f"{name}, limited, as there").items()
               if int(n) <= 10**7}}
    theirs = comparison.values(rows, "Tesla V100")

    def gains():
        gain = {n: ours[n] / theirs[n] for n in theirs if n in ours}
        return (f"By the same samplers the {name} draws {style.span(gain.values(), '{:.1f}')} times as fast "
                "as the V100")

    return comparison.sampling_figure(
        rows, gpu, cpus,
        style.claim(gains, "Samples a second, by machine and size of the table"),
        note="; published GPUs: limited up to 10⁷, baseline at 10⁸"
        "\nas there: xorwow with a subsequence a thread, nothing stored"
        f"\nfastest of the papers' samplers, stored, with our 8-byte rows if compact: {', '.join(fastest_of).replace('_', ' ')}")


if __name__ == "__main__":
    style.main(__file__, draw)
