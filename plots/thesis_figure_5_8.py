"""The thesis's Figure 5.8: throughput of the samplers against the number of samples, N = 10^7. The
thesis has a picture, and in its text up to 15 GSamples/s on the RTX 2080. Record: samples_sweep."""

import samples_sweep
import style

NEEDS = (("gpu", "samples_sweep"),)


def draw(results):
    return samples_sweep.figure(results.gpu("samples_sweep"), 10_000_000)


if __name__ == "__main__":
    style.main(__file__, draw)
