"""Weights over several GPUs: times of two against one, and what each rank computes on its host to know how
many samples the shards have, by ranks. Records: cpu_sharded, and sharded of two GPUs where it is there."""

import matplotlib.pyplot as plt

import style

NEEDS = (("cpu", "cpu_sharded"),)
ITEMS = SAMPLES = 10**9
# Groups: name, rows, and among how many GPUs these divide the samples of which their names speak.
WORK = (("build", "construct_shards/{gpus}/uniform/{items}", 1),
        ("draw\nlocal samples", "draw_local/{gpus}/uniform/{items}/{samples}", 1),
        ("draw scattered\nones", "draw_scattered/{gpus}/uniform/{items}/{samples}", 2),
        ("exchange\nalone", "exchange/{gpus}/uniform/{items}/{samples}", 2))
COUNTS = {"local": "this rank's shard, to draw local samples", "all": "all shards",
          "scatter": "this rank's row and column, to draw scattered ones"}


def time_of(record, pattern, divisor, gpus):
    return record.milliseconds(pattern.format(gpus=gpus, items=ITEMS, samples=SAMPLES // divisor))


def draw_times(axes, record):
    style.bars(axes, [name for name, _, _ in WORK],
               {f"{gpus} GPU{'s' * (gpus > 1)}": [time_of(record, pattern, divisor, gpus)
                                                for _, pattern, divisor in WORK] for gpus in (1, 2)})
    axes.set(ylabel="ms", title=style.claim(lambda: gains(record), "Two GPUs against one"))
    axes.legend(loc="upper left")


def gains(record):
    build, local = (time_of(record, WORK[i][1], 1, 1) / time_of(record, WORK[i][1], 1, 2) for i in (0, 1))
    return f"Two GPUs build {build:.1f} and draw locally {local:.1f} times as fast as one"


def draw_counts(axes, record):
    points = {label: [(int(parts[2]), 1000 * row["ms"]) for parts, row in
                      record.select("counts", what, None, str(SAMPLES))] for what, label in COUNTS.items()}
    style.require(any(points.values()), record)
    style.lines(axes, points)
    axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="µs on the host",
             title="Counts of samples, without communication")
    axes.set_xticks([1, 8, 64, 512, 4096], ["1", "8", "64", "512", "4,096"])
    axes.minorticks_off()
    axes.legend(loc="upper left")


def draw(results):
    counts, times = results.cpu("cpu_sharded"), results.two_gpus("sharded")
    figure, panels = plt.subplots(1, 2 if times else 1, figsize=(10 if times else 5.2, 4.2), squeeze=False)
    if times:
        draw_times(panels[0][0], times)
    draw_counts(panels[0][-1], counts)
    style.caption(figure, *filter(None, (times, counts)), note="$10^9$ uniform float weights and $10^9$ samples of "
                  "64 bits, of all GPUs together; exchange: as many bytes between buffers")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
