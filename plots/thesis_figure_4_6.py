"""The thesis's Figure 4.6: how the number of blocks and of threads in each changes the throughput of
the baseline sampler, without output as there, for a table of 10^6 uniform weights. The thesis has a
picture, and the best sizes of its RTX 2080 (46 multiprocessors) in its text. Record: grid_sizes."""

import matplotlib.pyplot as plt
import numpy as np

import style

NEEDS = (("gpu", "grid_sizes"),)


def panel(axes, record, generator, label):
    rate = {}
    for name, row in record.select("sample", f"baseline_{generator}_no_output"):
        blocks, threads = map(int, name[5].split("x"))
        rate[threads, blocks] = row["items_per_second"] / 1e9
    style.require(rate, record)
    threads, blocks = (sorted({key[i] for key in rate}) for i in (0, 1))
    best = max(rate.values())
    grid = np.array([[rate.get((t, b), np.nan) for b in blocks] for t in threads])
    axes.imshow(grid / best, origin="lower", aspect="auto", cmap="cividis", vmin=0, vmax=1)
    for (y, x), value in np.ndenumerate(grid):
        axes.text(x, y, f"{value:.0f}", ha="center", va="center", fontsize=8,
                  color="white" if value < 0.6 * best else "black",
                  fontweight="bold" if value > 0.975 * best else "normal")
    axes.set_xticks(range(len(blocks)), blocks)
    axes.set_yticks(range(len(threads)), threads)
    axes.grid(visible=False)
    axes.set_xlabel("blocks")
    axes.set_title(f"{label}, at most {best:.0f} GSamples/s", fontsize=9.5)
    return {(b, t): value / best for (t, b), value in rate.items()}


def draw(results):
    record = results.gpu("grid_sizes")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), width_ratios=[9, 6])
    shares = panel(left, record, "xorwow", "xorwow")
    panel(right, record, "mtgp32", "MTGP32")
    left.set_ylabel("threads per block")
    fastest = sorted({blocks for (blocks, _), share in shares.items() if share > 0.99})
    figure.suptitle(f"xorwow is fastest with {', '.join(map(str, fastest))} blocks; MTGP32 has no states "
                    "for more than 200", fontsize=10.5)
    style.caption(figure, record, note="$10^6$ uniform weights, $10^8$ samples; GSamples/s, nothing "
                  "written; bold: within 2.5% of the best\nxorwow is started by pK-pT; "
                  "MTGP32 is a Mersenne Twister; it has 200 states, one for each block of at most 256 threads\nthe thesis's best on the RTX 2080, "
                  "one block a multiprocessor: 46 × 192 (xorwow), 46 × 256 (Mersenne Twister)")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
