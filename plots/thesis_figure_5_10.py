"""The thesis's Figure 5.10: throughput of the baseline sampler from arrays of structs and from structs
of arrays, for a table in which no row has an alias and one in which each row has the next item as
alias; 10^9 samples, without output as there. The thesis has only a picture.
Record: sampling_struct_of_arrays."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "sampling_struct_of_arrays"),)

LAYOUTS = {"wide_rows": "array of structs", "struct_of_arrays": "struct of arrays"}
TABLES = {"no_alias": "no alias", "next_alias": "next item as alias"}


def draw(results):
    record = results.gpu("sampling_struct_of_arrays")
    figure, axes = plt.subplots()
    rates = {}
    for i, (layout, label) in enumerate(LAYOUTS.items()):
        for table, which in TABLES.items():
            points = [(int(name[3]), row["items_per_second"] / 1e9) for name, row in
                      record.select("sample", f"baseline_{layout}_no_output", table)]
            rates[layout, table] = dict(points)
            filled = table == "next_alias"
            if not points:
                continue
            axes.plot(*zip(*sorted(points)), label=f"{label}, {which}", color=style.COLOURS[i],
                      marker=style.MARKERS[2 * i + filled], ls="-" if filled else "--",
                      mfc=style.COLOURS[i] if filled else "white", ms=5 if filled else 8,
                      zorder=2 + filled)
    style.require(any(rates.values()), record)
    axes.set(xscale="log", xlabel="items", ylabel="GSamples/s", ylim=(0, None))
    axes.legend(loc="upper right")

    def slower():
        gain = {table: [rate / rates["wide_rows", table][n]
                        for n, rate in rates["struct_of_arrays", table].items()] for table in TABLES}
        if max(gain["next_alias"]) < 1 and min(gain["no_alias"]) > 0.98:
            return "Structs of arrays sample slower, unless no row has an alias"

    axes.set_title(style.claim(slower, "Throughput from structs of arrays and arrays of structs"))
    style.caption(figure, record, note="$10^9$ samples, nothing written")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
