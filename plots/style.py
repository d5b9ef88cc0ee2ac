"""What the figures share: where measurements come from, how lines look, what a caption says.

A figure is a script plots/<name>.py that defines `draw(results)`, which returns a Matplotlib figure,
and ends with `style.main(__file__, draw)`. It computes no results: it reads recorded runs, and what
the papers published (plots/published). Called by itself it writes plots/figures/<name>.svg and .png;
--results, --gpu and --cpu name other recorded runs, --out another folder."""

import argparse
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.ft2font
import matplotlib.pyplot as plt
import numpy as np

PLOTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(PLOTS.parent / "experiments"))
from records import OTHER_CPUS, RESULTS, TWO_GPUS, Missing, benchmarks, published, read

# Colours that are told apart with any colour vision (Okabe and Ito), and in print by their markers
# and dashes as well.
BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, BLACK, GREY = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C8C8C")
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, BLACK, GREY)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (5, 2, 1, 2)))

plt.rcParams.update({
    "figure.figsize": (7.2, 4.4), "figure.constrained_layout.use": True,
    "font.size": 9.5, "axes.titlesize": 10.5, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "#E6E6E6", "grid.linewidth": 0.6,
    "legend.frameon": False, "legend.fontsize": 8.5, "lines.linewidth": 1.4, "lines.markersize": 4.5,
    "svg.hashsalt": "wrsgpu", "svg.fonttype": "none"})

# What the places of all that is drawn depend on: FreeType measures the texts.
CREATOR = f"Matplotlib {matplotlib.__version__}, FreeType {matplotlib.ft2font.__freetype_version__}"


def short_name(name):
    """A processor's name without its maker's."""
    for word in ("(R)", "(TM)", " Processor", "NVIDIA ", "Nvidia ", "GeForce ", "Intel ", "AMD "):
        name = name.replace(word, "")
    return name.replace("1650 Super", "1650 S")


def machines():
    """The rows of plots/published/machines.csv by name."""
    with open(PLOTS / "published" / "machines.csv", encoding="utf-8", newline="") as file:
        return {row["machine"]: row for row in csv.DictReader(file)}


class Rows(dict):
    """Rows by name, which remember those that were looked at."""

    def __init__(self, rows):
        super().__init__(rows)
        self.used = {}

    def __getitem__(self, name):
        self.used[name] = super().__getitem__(name)
        return self.used[name]

    def get(self, name, default=None):
        return self[name] if name in self else default


class Record:
    """A recorded run: `context`; `rows` by name, one for each benchmark; `counters` by name,
    each of the first kernel that was counted under it. `kind` is what ran, "gpu" or "cpu": a machine
    with a GPU says so in the context of either."""

    def __init__(self, path, kind):
        self.name, self.kind = path.stem, kind
        self.data = read(path)
        self.context = self.data["context"]
        self.rows = Rows(benchmarks(self.data))
        self.counters = Rows({row["name"]: row for row in reversed(self.data.get("counters", ()))})

    def names(self, *parts):
        """The parts of the names of all benchmarks whose name begins with these parts; None is any."""
        for name in self.rows:
            found = name.split("/")
            if len(found) >= len(parts) and all(want in (None, have)
                                                for want, have in zip(parts, found)):
                yield found

    def select(self, *parts):
        """(parts of the name, row) of the same."""
        for found in self.names(*parts):
            yield found, self.rows["/".join(found)]

    def milliseconds(self, name):
        """The median time of a benchmark, or None where it was not measured."""
        row = self.rows.get(name)
        return None if row is None else row["ms"]

    def rate(self, name):
        """Items a second, or None."""
        row = self.rows.get(name)
        return None if row is None else row["items_per_second"]

    def widest(self, first, method):
        """The name of a method of the CPU's with the most threads that it was run with, and how many."""
        found = [int(parts[1].rpartition("_")[2][:-1]) for parts in self.names(first)
                 if parts[1].rpartition("_")[0] == method]
        return f"{method}_{max(found, default=1)}t", max(found, default=1)

    def gpu(self):
        """The GPU that ran, or "" where the CPU did."""
        device = self.context.get("device", "none")
        return device if self.kind == "gpu" and device != "none" else ""

    def _full_device(self):
        cpu = f"{self.context.get('cpu', 'CPU')}, {self.context.get('threads', '?')} threads"
        return self.gpu() or cpu

    def device(self):
        """What ran, in short: the GPU's name, or the CPU's and its threads."""
        return short_name(self._full_device())

    def source(self):
        """For captions: what ran where, and at which commits, of the rows that were looked at."""
        # Rows that were measured at another commit say so themselves.
        own = self.context.get("commit", "?")
        used = (*self.rows.used.values(), *self.counters.used.values())
        commits = {row.get("commit", own) for row in used} or {own}
        listed = ", ".join(sorted(commits, key=lambda commit: (commit != own, commit)))
        return f"{self.name} · {self._full_device()} · commit {listed}"


class Results:
    """Recorded runs: a folder for the GPU's, and one for the CPU's."""

    def __init__(self, root=RESULTS, gpu="h200", cpu="cpu"):
        self.root, self.folders = pathlib.Path(root), {"gpu": gpu, "cpu": cpu}

    def _path(self, kind, name):
        path = self.root / self.folders[kind] / name
        if not path.is_file():
            raise Missing(f"there is no {path}")
        return path

    def gpu(self, experiment):
        return Record(self._path("gpu", f"{experiment}.json"), "gpu")

    def cpu(self, experiment):
        return Record(self._path("cpu", f"{experiment}.json"), "cpu")

    def cpus(self, experiment):
        """That of `cpu`, and that of the host with many threads, if it is there: only of ours is one kept."""
        host = self.root / OTHER_CPUS["host"] / f"{experiment}.json"
        return [self.cpu(experiment), *([Record(host, "cpu")] if host.is_file() else [])]

    def two_gpus(self, experiment):
        """That of two GPUs of one host, or None: a reproduction has none."""
        path = self.root / TWO_GPUS / f"{experiment}.json"
        return Record(path, "gpu") if path.is_file() else None

    def table(self, kind, name):
        """Rows of a CSV file beside the recorded runs."""
        with open(self._path(kind, name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def image(self, kind, name):
        """A picture in a PPM file of one comment, beside the recorded runs: rows of pixels of three
        bytes."""
        _, _, size, _, pixels = self._path(kind, name).read_bytes().split(b"\n", 4)
        width, height = map(int, size.split())
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


def elsewhere(record, machine):
    """Where the rows of measured_peers.csv of this machine were measured, to be added to their names;
    "" if that is where the record was made."""
    row = machines()[machine]
    if row["gpu"]:
        same = record.gpu().casefold() == row["gpu"].casefold()
        name = row["gpu"]
    else:
        # The name that a processor gives itself may be that of several generations.
        same = (row["processor"].startswith(record.context.get("cpu", "?"))
                and record.context.get("threads") == row["threads"]
                and record.context.get("l1_data_kb") == int(row["l1_data_kb"]))
        name = f"{row['processor']}, {row['threads']} threads"
    return "" if same else f" ({short_name(name)})"


def apart(where, programs="authors' program"):
    """For captions: where the numbers of these programs come from; `where` is what `elsewhere` says."""
    return f"{programs}: noted by hand{where}, not in the same run, see plots/published/README.md"


def require(found, record):
    """`found`, unless there is nothing in it to draw."""
    if not found:
        example = f", but {len(record.rows)} others, as {next(iter(record.rows))}" if record.rows else ""
        raise Missing(f"{record.name} has none of the runs that this figure shows{example}")
    return found


def claim(text, neutral):
    """A title: what `text()` says of the record, or `neutral` where the claim does not hold (`text`
    returns "" or None) or the record lacks a run that it is about."""
    try:
        return text() or neutral
    except (KeyError, ValueError, TypeError):
        return neutral


def span(values, number="{:.1f}"):
    """"2 to 3", or "2" where both ends are written alike."""
    ends = [number.format(end) for end in (min(values), max(values))]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def reach(axes, x=None, y=None):
    """Sets limits that hold at least these ranges, and all data."""
    for name, least in (("x", x), ("y", y)):
        if least:
            low, high = getattr(axes.dataLim, f"interval{name}")
            if getattr(axes, f"get_{name}scale")() == "log":
                low = max(low, getattr(axes.dataLim, f"minpos{name}"))
            getattr(axes, f"set_{name}lim")(least[0] if low >= least[0] else low / 1.2,
                                            least[1] if high <= least[1] else 1.2 * high)


def look(i):
    """Colour, marker and dashes of the i-th line of a figure; colours come again, but with others."""
    other = i + i // len(COLOURS)
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[other % len(MARKERS)],
            "linestyle": DASHES[other % len(DASHES)]}


def lines(axes, series, **options):
    """Draws {label: [(x, y), ...]}, each label with a look of its own."""
    for i, (label, points) in enumerate(series.items()):
        if points:
            axes.plot(*zip(*sorted(points)), label=label, **{**look(i), **options})


def bars(axes, groups, series, label_format="{:.3g}", log=False):
    """Draws grouped bars: `groups` are names, `series` is {label: [value or None, ...]}, one value for
    each group. Hatches tell the series apart in print."""
    hatches = ("", "///", "..", "\\\\\\", "xxx", "oo", "++", "**")
    width = 0.8 / len(series)
    for i, (label, values) in enumerate(series.items()):
        at = [g + (i - (len(series) - 1) / 2) * width for g in range(len(groups))]
        drawn = [(x, v) for x, v in zip(at, values) if v is not None]
        if not drawn:
            continue
        container = axes.bar(*zip(*drawn), width=width * 0.92, label=label, edgecolor="white",
                             color=COLOURS[i % len(COLOURS)], hatch=hatches[i % len(hatches)],
                             linewidth=0.4)
        axes.bar_label(container, [label_format.format(v) for _, v in drawn], fontsize=7, padding=1)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(axis="x", visible=False)
    if log:
        axes.set_yscale("log")


def power_of_ten(n):
    """10^7 or 2*10^7 for the numbers that experiments use, as Matplotlib writes mathematics."""
    n = int(n)
    exponent = len(str(n)) - 1
    lead = n / 10**exponent
    return f"$10^{{{exponent}}}$" if lead == 1 else f"${lead:g}\\cdot 10^{{{exponent}}}$"


def same_everywhere(program, rows):
    """For captions: what wrote a CSV file of these rows, and at which commit. All programs write it."""
    return f"{program} · the same on every machine · commit {rows[0]['commit']}"


def caption(figure, *records, note=""):
    """Says below a figure where its numbers come from."""
    text = "\n".join(dict.fromkeys(r if isinstance(r, str) else r.source() for r in records))
    figure.supxlabel(f"{note}\n{text}" if note else text, fontsize=7, color="#555555")


def main(script, draw):
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--gpu", default="h200", help="folder of the GPU's runs in --results")
    parser.add_argument("--cpu", default="cpu", help="folder of the CPU's runs in --results")
    parser.add_argument("--out", type=pathlib.Path, default=PLOTS / "figures")
    options = parser.parse_args()
    name = pathlib.Path(script).stem
    try:
        figure = draw(Results(options.results, options.gpu, options.cpu))
    except Missing as missing:
        print(f"{name}: {missing}", file=sys.stderr)
        sys.exit(Missing.EXIT_STATUS)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"argument --out: {error}")
    figure.savefig(options.out / f"{name}.svg", metadata={"Date": None, "Creator": CREATOR})
    figure.savefig(options.out / f"{name}.png", dpi=110)
    plt.close(figure)
    print(options.out / f"{name}.png")
