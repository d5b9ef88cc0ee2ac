"""The machines of the report (Table 1) and those of our records, with what the papers and the
records say of them. A table of names has nothing to plot, so it stays one. Records: construction,
cpu_construction."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "construction"), ("cpu", "cpu_construction"))
COLUMNS = ("", "processor", "cores", "threads", "GPU", "system")
WIDTHS = (0.13, 0.25, 0.07, 0.08, 0.24, 0.23)
NAMES = {"desktop": "Desktop", "amd_server": "AMD server", "intel_server": "Intel server",
         "gtx_1650s": "GTX 1650S", "rtx_2080": "RTX 2080", "tesla_v100": "Tesla V100"}


def published():
    machines = style.machines()
    return [(name, row["processor"], row["cores"], row["threads"],
             row["gpu"].replace("Nvidia ", ""), row["system"])
            for name, row in ((name, machines[key]) for key, name in NAMES.items())]


def ours(record, name):
    context = record.context
    gpu = record.gpu().replace("NVIDIA ", "")
    software = context.get("compiler", "") + (f", CUDA {context['toolkit']}" if gpu else "")
    return (name, context["cpu"].replace("(R)", "").replace(" Processor", ""), "",
            context["threads"], gpu, software)


def draw(results):
    gpu, cpu = results.gpu("construction"), results.cpu("cpu_construction")
    rows = [*published(), ours(gpu, "our GPU"), ours(cpu, "our CPU")]
    figure, axes = plt.subplots(figsize=(7.2, 3.2))
    axes.axis("off")
    table = axes.table([[cell or "–" for cell in row] for row in rows], colLabels=COLUMNS,
                       colWidths=WIDTHS, cellLoc="left", colLoc="left", loc="center",
                       edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    table.scale(1, 1.5)
    for (row, column), cell in table.get_celld().items():
        cell.set_linewidth(0.5)
        if row == 0 or column == 0:
            cell.set_text_props(weight="bold")
    figure.suptitle("The report's three CPUs and three GPUs, and one of each of ours",
                    fontsize=10.5)
    style.caption(figure, gpu, cpu, note="–: not stated, or none")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
