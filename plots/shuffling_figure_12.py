"""The shuffling paper's Figure 12: throughput of shuffles by length on a Tesla V100 (the numbers of its
Table 1) beside ours by shuffle_methods, with cycle walking, which pads nothing, and Thrust's."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("gpu", "shuffle_methods"),)


def draw(results):
    record = results.gpu("shuffle_methods")
    figure = plt.figure(figsize=(8.4, 4.8))
    shuffles.comparison(figure, "shuffling_table_1", "v100_32gb", record, shuffles.GPU_METHODS,
                        (shuffles.OURS, ("thrust_shuffle_copy", "thrust::shuffle_copy")))

    def costs():
        at = shuffles.last_power(record)
        gather, padded, walking = (record.rate(f"shuffle/{method}/{2**at + 1}")
                                   for method in ("gather", "bijective2_varphilox", shuffles.OURS[0]))
        cost = 100 * (1 - padded / gather)
        if cost >= 1 and walking > 0.98 * gather:
            return (f"On the {record.device()} padding costs VariablePhilox {cost:.0f}% at "
                    f"$2^{{{at}}}+1$; cycle walking has all of the gather")

    figure.suptitle(style.claim(costs, "Throughput of shuffles on two GPUs, by length"), fontsize=10.5)
    style.caption(figure, record, note="$n = 2^k + 1$; published: Table 1")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
