"""Figures that hold the papers' published values against ours, machine by machine. One dot for
each machine, since times and rates differ by orders of magnitude and bars on a logarithmic axis
mislead."""

import math

import matplotlib.pyplot as plt

import style

# What a dot stands for: its label in the legend, colour and marker.
KINDS = {"cpu": ("CPU, published", style.BLUE, "o"),
         "gpu": ("GPU, published", style.ORANGE, "s"),
         "our_cpu": ("CPU, ours", style.SKY, "^"),
         "our_gpu": ("GPU, ours", style.GREEN, "D")}
BLANK = "blank: not measured or not published"


def machine_name(machine, method):
    """How the papers call a machine, and the part of it that ran the method."""
    row = style.machines()[machine]
    part = (style.short_name(row["gpu"]) if method.startswith("gpu")
            else f"{style.short_name(row['processor'])}, {row['cores']} cores")
    return f"{row['machine'][-1].upper()}: {part}" if row["source"] == "thesis" else part


def entries(table, quantity, column, scale=1.0):
    """[(name, kind, {column: value}, columns whose value the paper extrapolated)] of a published
    table, in its order."""
    found = {}
    for row in style.published(table, quantity=quantity):
        key = (row["machine"], row["method"].split("_")[0])
        _, _, values, extrapolated = found.setdefault(
            key, (machine_name(row["machine"], row["method"]), key[1], {}, set()))
        values[row[column]] = row["value"] * scale
        if "extrapolated" in row["note"]:
            extrapolated.add(row[column])
    return list(found.values())


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def dots(rows, columns, units, titles):
    """A figure with a panel for each column, two beside each other, and in it a line for each entry
    of `rows` that has a value."""
    rows = [row for row in rows if row[2]]
    if not any(kind.startswith("our") for _, kind, *_ in rows):
        raise style.Missing("the records have none of the runs that this figure shows")
    beside = min(2, len(columns))
    below = -(-len(columns) // beside)
    figure = plt.figure(figsize=(7.2, 1.5 + below * (0.45 + 0.24 * len(rows))))
    grid = figure.add_gridspec(below + 1, beside, height_ratios=(1, *[len(rows)] * below))
    panels = []
    for i in range(len(columns)):
        panels.append(figure.add_subplot(grid[1 + i // beside, i % beside],
                                         sharey=panels[0] if panels else None))
    shown = [value for _, _, found, _ in rows for value in found.values()]
    ticks = [10.0**k for k in range(math.floor(math.log10(min(shown))),
                                    math.floor(math.log10(2 * max(shown))) + 1)]
    for axes, column, unit, title in zip(panels, columns, units, titles):
        # On the right there is room for the numbers beside the dots.
        axes.set(xscale="log", title=title,
                 xlim=(0.9 * ticks[0], max(shown) * 10**(0.15 * len(ticks))))
        axes.set_xticks(ticks, [f"{tick:,.10g}" for tick in ticks])
        axes.set_xlabel(unit)
        axes.minorticks_off()
        for y, (_, kind, values, extrapolated) in enumerate(rows):
            value = values.get(column)
            if value is None:
                continue
            label, colour, marker = KINDS[kind]
            guess = column in extrapolated
            axes.plot(value, y, marker, color=colour, markersize=6, zorder=3,
                      markerfacecolor="white" if guess else colour)
            axes.annotate(("≈ " if guess else "") + number(value), (value, y), xytext=(6, 0),
                          textcoords="offset points", va="center", fontsize=7.5)
    panels[0].set_yticks(range(len(rows)), [name for name, *_ in rows])
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    for i, axes in enumerate(panels):
        axes.tick_params(labelleft=i % beside == 0)
    present = [look for kind, look in KINDS.items() if any(row[1] == kind for row in rows)]
    legend = figure.add_subplot(grid[0, :])
    legend.axis("off")
    legend.legend([plt.Line2D([], [], color=colour, marker=marker, linestyle="", markersize=6)
                   for _, colour, marker in present], [label for label, *_ in present],
                  loc="center", ncols=len(present))
    return figure


def values(rows, name):
    """The values of the entry of that name, by column."""
    return next(found for label, _, found, _ in rows if label == name)


def _measured(names, of):
    """{column: what `of` says of the benchmark named}, without those not measured."""
    return {column: of(name) for column, name in names.items() if of(name) is not None}


CONSTRUCTED = {str(n): f"powerlaw_1_shuffled/{n}" for n in (10**7, 10**8)}


def construction_times(table, gpu, cpus):
    """Entries of a table of construction times, in ms, with ours."""
    rows = entries(table, "construction_time", "items")
    ours = (*((f"{cpu.device()}, PSA", "our_cpu", cpu, cpu.widest("construct", "psa")[0]) for cpu in cpus),
            (f"{gpu.device()}, chunked", "our_gpu", gpu, "partial_p_ary_chunked_masses"),
            (f"{gpu.device()}, shared memory", "our_gpu", gpu,
             "partial_p_ary_shared_memory_masses"))
    return rows + [
        (name, kind, _measured({n: f"construct/{method}/{rest}" for n, rest in CONSTRUCTED.items()},
                               record.milliseconds), set())
        for name, kind, record, method in ours]


def construction_figure(rows, gpu, cpus, rival):
    """The figure; its title compares the chunked pack with a published GPU, "machine: GPU" or "GPU"."""
    def gain():
        ours, theirs = values(rows, f"{gpu.device()}, chunked"), values(rows, rival)
        gains = [theirs[n] / ours[n] for n in ours]
        return (f"By the same method the {gpu.device()} builds {style.span(gains)} times as fast as "
                f"the {rival.removeprefix('Tesla ').removeprefix('A: ')}")

    figure = dots(rows, list(CONSTRUCTED), ["construction, ms"] * len(CONSTRUCTED),
                  [f"$N$ = {style.power_of_ten(n)}" for n in CONSTRUCTED])
    figure.suptitle(style.claim(gain, "Time to build a table, by machine"), fontsize=10.5)
    style.caption(figure, gpu, *cpus, note="weights 1/i in random order, on the device that builds; "
                  f"lower is better; {BLANK}")
    return figure


DRAWN = 10**9  # samples, of the papers and of our GPU
TABLES = [str(10**k) for k in range(6, 10)]


def _rate(record):
    def billions(name):
        rate = record.rate(name)
        return None if rate is None else rate / 1e9
    return billions


def sampled(record, name, kind, sampler, samples=DRAWN):
    """An entry: how fast a sampler of ours is, in GSamples/s, for each size of the table."""
    return (name, kind, _measured({n: f"sample/{sampler}/powerlaw_1_shuffled/{n}/{samples}"
                                   for n in TABLES}, _rate(record)), set())


def drawn_on_cpu(record):
    """Samples of the longest runs of the CPU."""
    return max((int(name[4]) for name, _ in record.select("sample", None, "powerlaw_1_shuffled")),
               default=0)


def sampled_on_cpus(records):
    """Entries: batched sampling with all threads of our CPUs."""
    return [sampled(record, record.device(), "our_cpu", record.widest("sample", "batched")[0],
                    drawn_on_cpu(record)) for record in records]


def fastest(record, name):
    """An entry: the fastest for each size of all samplers of a record that write their samples; and
    the names of these."""
    each = {sampler: sampled(record, name, "our_gpu", sampler)
            for sampler in dict.fromkeys(row[1] for row, _ in record.select("sample"))
            if not sampler.endswith("_no_output")}
    best = {n: max(each, key=lambda sampler: each[sampler][2].get(n, 0)) for n in TABLES
            if any(n in rates for _, _, rates, _ in each.values())}
    entry = (name, "our_gpu", {n: each[sampler][2][n] for n, sampler in best.items()}, set())
    return entry, list(dict.fromkeys(best.values()))


def sampling_figure(rows, gpu, cpus, title, note=""):
    figure = dots(rows, TABLES, ["GSamples/s"] * len(TABLES),
                  [f"{style.power_of_ten(n)} rows" for n in TABLES])
    figure.suptitle(title, fontsize=10.5)
    on_cpu = ", ".join(style.power_of_ten(drawn_on_cpu(cpu)) for cpu in cpus if drawn_on_cpu(cpu))
    on_cpu = f" ({on_cpu} on our CPU{'s' if len(cpus) > 1 else ''})" if on_cpu else ""
    style.caption(figure, gpu, *cpus, note=f"$10^9$ samples{on_cpu}, weights 1/i in random "
                  f"order; higher is better{note}\n{BLANK}")
    return figure


def energy_figure(table, record, quantities, title, rival, note, like="joules"):
    """The energies of a table, {quantity: unit}, with ours; `title` makes a title from our GPU's name,
    our values and those of the entry that is named `rival`. `like` is which of ours are measured as
    these: with what the idle device takes ("joules"), or without ("joules_above_idle")."""
    rows = {}
    for quantity in quantities:
        for name, kind, found, extrapolated in entries(table, quantity, "quantity"):
            _, _, values_, guesses = rows.setdefault(name, (name, kind, {}, set()))
            values_.update(found)
            guesses.update(extrapolated)

    def ours(tasks, what):
        return {quantity: row[what] for quantity in quantities
                for _, row in record.select("energy", tasks[quantity])}

    published = {"construction_energy": "construct_gpu_chunked",
                 "sampling_energy": "sample_gpu_baseline"}
    fastest = {"construction_energy": "construct_gpu", "sampling_energy": "sample_gpu"}
    name = record.device()
    figure = dots([*rows.values(), (f"{name}, card", "our_gpu", ours(published, "joules"), set()),
                   (f"{name}, card less idle", "our_gpu", ours(published, "joules_above_idle"),
                    set()),
                   (f"{name}, card, shared memory", "our_gpu", ours(fastest, "joules"), set())],
                  list(quantities), list(quantities.values()),
                  [{"construction_energy": "construction", "sampling_energy": "sampling"}[q]
                   for q in quantities])
    figure.suptitle(style.claim(lambda: title(name, ours(published, like), rows[rival][2]),
                                "Energy of building and drawing, by machine"), fontsize=10.5)
    style.caption(figure, record, note=note)
    return figure
