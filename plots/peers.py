"""Building from float weights and drawing once on the GPU, by peers.json: torch.multinomial, cumulative
sum and search in torch, cupy.random.choice and wrsgpu, for i^-1 shuffled weights, as in the
README's table."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "peers"),)
PEERS = {"torch_multinomial": "torch.multinomial", "cupy_choice": "cupy.random.choice",
         "torch_search": "cumulative sum and search (torch)", "wrsgpu": "wrsgpu, random order",
         "wrsgpu_sectioned": "wrsgpu, by sections"}
SIZES = (10**6, 10**7, 10**8)
DISTRIBUTION = "powerlaw_1_shuffled"


def draw(results):
    record = results.gpu("peers")
    rows = {row["name"]: row for row in record.data["peers"]}
    style.require([name for name in rows if f"/{DISTRIBUTION}/" in name], record)
    gains = {"wrsgpu": [], "wrsgpu_sectioned": []}
    figure, both = plt.subplots(2, 1, sharex=True, sharey=True, figsize=(7.2, 5.8))
    for axes, samples in zip(both, (10**6, 10**8)):
        series = {}
        for i, (peer, name) in enumerate(PEERS.items()):
            found = [rows.get(f"peers/{peer}/{DISTRIBUTION}/{n}/{samples}", {}) for n in SIZES]
            series[name] = [row["construct"] + row["draw"] if "draw" in row else None for row in found]
            for group, row in enumerate(found):
                if not series[name][group]:
                    axes.text(group - 0.4 + 0.16 * (i + 0.5), 0.035, rotation=90, ha="center",
                              va="bottom", fontsize=7, color="0.3",
                              s="refuses" if "refused" in row else "not measured")
        for own, found in gains.items():
            for group, time in enumerate(series[PEERS[own]]):
                others = [series[PEERS[peer]][group] for peer in PEERS if peer not in gains]
                if time and any(others):
                    found.append(min(filter(None, others)) / time)
        style.bars(axes, [f"{style.power_of_ten(n)} items" for n in SIZES], series, log=True)
        style.reach(axes, y=(0.03, 60))
        axes.set_title(f"{style.power_of_ten(samples)} samples", fontsize=9.5)
        axes.set_ylabel("build and draw once, ms")
    style.reach(both[0], y=(0.03, 300))
    both[0].legend(ncol=2, loc="upper left")

    def fastest():
        random, sectioned = gains.values()
        if min(random) > 1:
            return (f"wrsgpu in random order is {style.span(random)} times as fast as the fastest of "
                    f"the others,\nand by sections {style.span(sectioned, '{:.2g}')} times")

    figure.suptitle(style.claim(fastest, "Time to build a table and to draw from it once"),
                    fontsize=10.5)
    style.caption(figure, record, note="$i^{-1}$ shuffled; float weights and samples in the GPU's "
                                       "memory, "
                  "of 64 bits by torch and cupy, of 32 by wrsgpu;\nthe host's launches are left out, but for "
                  "cupy's; torch.multinomial takes at most $2^{24}$ items")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
