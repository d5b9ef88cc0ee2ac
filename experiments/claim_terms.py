"""What the claims of the papers are made of: published numbers, as () -> number, and ours, as
Records -> number; then what the claims of several papers are about."""

import functools

from records import published_value

UNIFORM, LAW_10_7 = "uniform/10000000", "powerlaw_1_shuffled/10000000"
CHUNKED = "partial_p_ary_chunked_masses"
HOSTS = ("another GPU against another CPU; ours is against all threads of the machine of the CPU "
         "record")
NEWER = "a data centre GPU of 2023 against the paper's"


# Published numbers.
def text(paper, quantity, **wanted):
    """What the running text of a paper states."""
    return functools.partial(published_value, f"{paper}_text", quantity=quantity, **wanted)


thesis = functools.partial(text, "thesis")


def table(name, machine, items=None, **wanted):
    if items:
        wanted["items"] = items
    return functools.partial(published_value, name, machine=machine, **wanted)


def times_faster(percent, saved=False):
    """The ratio that "15% faster" stands for, or "15% less time"."""
    return lambda: 1 / (1 - percent() / 100) if saved else 1 + percent() / 100


def ratio_of(first, second):
    return lambda: first() / second()


def stated(value):
    """For claims in words."""
    return lambda: value


# Ours.
def time(key, name):
    return lambda records: records.ms(key, name)


def rate(key, name):
    return lambda records: records.rate(key, name)


def value(key, name, field, factor=1):
    return lambda records: factor * records.value(key, name, field)


def faster(key, slow, fast):
    """How many times the time of `fast` that of `slow` is."""
    return lambda records: records.ms(key, slow) / records.ms(key, fast)


def most(*ratios):
    return lambda records: max(ratio(records) for ratio in ratios)


def quotient(first, second):
    return lambda records: first(records) / second(records)


def counter(name, field):
    return lambda records: records.counter(name, field)


# What is measured.
def split(method, splits):
    return f"split/{method}/{UNIFORM}/{splits}"


def pack(method, items="10000000"):
    return f"construct/partial_p_ary_{method}/uniform/{items}"


def sample(sampler, items, samples=10**9):
    """Of i^-1 in random order."""
    return f"sample/{sampler}/powerlaw_1_shuffled/{items}/{samples}"


def milestones(before, after):
    return faster("gpu/progress", f"construct/{before}/{UNIFORM}", f"construct/{after}/{UNIFORM}")


def build_gpu(items):
    return time("gpu/construction", f"construct/{CHUNKED}/powerlaw_1_shuffled/{items}")


def build_cpu(distribution=LAW_10_7):
    return time("cpu/cpu_construction", f"construct/psa_{{most}}t/{distribution}")


def draw(sampler, items):
    return rate("gpu/sampling", sample(sampler, items))


def draw_cpu(items):
    return rate("cpu/cpu_sampling",
                f"sample/batched_{{most}}t/powerlaw_1_shuffled/{items}/{{most}}")


def joules(name, field="joules"):
    """What the card takes in all, or `joules_above_idle`."""
    return value("gpu/energy", f"energy/{name}", field)
