"""Weighted sampling without replacement and from each row of a matrix, resampling, and counts."""

import math
from collections.abc import Callable
from typing import Any, Literal, SupportsIndex

from wrsgpu import _core
from wrsgpu._arguments import Seed, count_of, integer, require_below, seed_word, shape_of
from wrsgpu._libraries import CPU, NUMPY, Memory, NumPy, dtype_name, gpu, library_of



def choose(weights: Any, size: Any, seed: Seed, offset: int = 0, dtype: Any = None,
           allow_fewer: bool = False) -> Any:
    """Different items, as many as `size` says, in the order in which they are drawn. Uses as many
    words of the stream `seed` as there are weights. Weights are checked for a size of 0, too."""
    library = library_of(weights)
    memory = library.weights(weights, True)
    shape, name = shape_of_choice(library, size, memory.size, dtype, allow_fewer)
    return _items(library, weights, memory, shape, name, "choose", (allow_fewer,), seed, offset)


def shape_of_choice(library: NumPy, size: Any, items: int, dtype: Any,
                    allow_fewer: bool = False) -> tuple[tuple[int, ...], str]:
    """Shape and type of the items chosen of so many."""
    shape = shape_of(size)
    if allow_fewer:
        if len(shape) > 1:
            raise ValueError(f"argument 'size' is {size}; with allow_fewer it must be one number")
        shape = tuple(min(count, items) for count in shape)
    name = library.default_dtype() if dtype is None else dtype_name(dtype)
    require_below(items, name)
    if count_of(shape) > items > 0:
        raise ValueError(f"argument 'size' is {size}; without replacement at most as many samples "
                         f"as there are weights can be drawn, {items}")
    return shape, name


def draw_from_rows(weights: Any, samples: int, replace: bool, seed: int, out: Any = None) -> Any:
    """Samples from a row or from each row of a matrix, as int64, without tables of rows of up to
    2,048 weights or for few samples; `out` is on their device. Raises ValueError for invalid
    weights, for a row without weight and, without replacement, for one that has fewer positive
    ones."""
    library = library_of(weights)
    *rows, columns = weights.shape
    memory = library.weights(weights.reshape(-1) if rows else weights, False)
    to = (library.new((*rows, samples), "int64", memory.device, None) if out is None else
          library.output(out, "out", ("int64",)))
    if to.size == 0:
        return to.owner
    arguments = (memory.address, math.prod(rows), columns, memory.dtype, samples, replace,
                 to.address, seed)
    if memory.device == CPU:
        valid = _core.multinomial(*arguments)
    else:
        valid = gpu.gpu_multinomial(*arguments, memory.device,
                                     library.current_stream(memory.device))
    if not valid:
        raise ValueError("a row has an invalid weight or fewer positive weights than samples")
    return to.owner


def resample(weights: Any, size: SupportsIndex | None = None,
             scheme: Literal["systematic", "stratified", "residual", "multinomial"] = "systematic",
             *, seed: Seed = None, dtype: Any = None) -> Any:
    """Draws ancestors for a particle filter or the bootstrap: items in ascending order, item i
    e_i = size * weights[i] / sum(weights) times on average.

    Args:
        weights: as for `Sampler`, of any library; on a GPU the ancestors are drawn there.
        size: number of ancestors; by default as many as there are weights.
        scheme: "systematic", one random offset for points at equal distances, draws item i
            floor(e_i) or ceil(e_i) times; "stratified", a random point in each of `size` strata, at
            most one time more or less; "residual" floor(e_i) times, and the others independently
            with the fractions as weights; "multinomial" draws independently.
        seed, dtype: as for `Sampler` and its `draw`.

    Raises:
        ValueError: invalid weights, for a size of 0, too, and an unknown scheme.

    >>> resample([0.5, 0, 0.25, 0.25], 8, seed=1)
    array([0, 0, 0, 0, 2, 2, 3, 3])
    """
    schemes = ("systematic", "stratified", "residual", "multinomial")
    if scheme not in schemes:
        raise ValueError(f"argument 'scheme' is {scheme!r}; it must be one of "
                         f"{', '.join(schemes)}")
    library = library_of(weights)
    memory = library.weights(weights, True)
    count = memory.size if size is None else integer(size, "size", (1 << 32) - 1)
    name = library.default_dtype() if dtype is None else dtype_name(dtype)
    require_below(memory.size, name)
    return _items(library, weights, memory, (count,), name, "resample", (schemes.index(scheme),),
                  seed, 0)


def multinomial_counts(weights: Any, samples: SupportsIndex, *, seed: Seed = None,
                       offset: int = 0) -> Any:
    """How often each item comes in `samples` draws with replacement, as
    `numpy.random.Generator.multinomial`, in time proportional to the number of items, whatever
    `samples` is.

    These are not the counts of the samples that `Sampler.draw` gives: `Sampler.histogram` has
    those. Weights are first rounded to multiples of 2^-32 of their mean: the count of an item that
    is much lighter than the mean can be off by far more than its noise, and is 0 below 2^-33 of it.

    Args:
        weights: as for `Sampler`, of any library; on a GPU the counts are computed there.
        samples: any number below 2^63.
        seed: as for `Sampler`.
        offset: gives other counts for the same seed.

    Returns:
        One count per item, as int64, for which JAX must be configured for 64 bits.

    >>> multinomial_counts([1, 2, 3, 4], 10**15, seed=7)
    array([100000006606914, 199999979371984, 300000007120218, 400000006900884])
    """
    library = library_of(weights)
    memory = library.weights(weights, True)
    _require_some(memory)
    word = seed_word(library.default_seed(seed))
    return _written(library, memory, library.device(weights), (memory.size,), "int64",
                    "multinomial_counts", lambda out: (memory.size, memory.dtype, out),
                    (integer(samples, "samples", 1 << 63), word, integer(offset, "offset")))[0]


def _require_some(memory: Memory) -> None:
    if memory.size == 0:
        raise ValueError("argument 'weights' is empty; at least one is needed")


def _items(library: NumPy, weights: Any, memory: Memory, shape: tuple[int, ...], dtype: str,
           function: str, more: tuple[int, ...], seed: Seed, offset: int) -> Any:
    """An array of items that a function of the module writes."""
    _require_some(memory)
    word = seed_word(library.default_seed(seed))
    count = count_of(shape)
    # One is drawn to check the weights if none is wanted.
    drawn = shape if count > 0 else (1,)
    items, found = _written(library, memory, library.device(weights), drawn, "int32", function,
                            lambda out: (memory.size, memory.dtype, out, max(count, 1), *more),
                            (word, offset))
    if found is not None and found < count:  # a choice that may have fewer
        items = items[:found]
    return library.as_numbers(items if count > 0 else items[:0].reshape(shape), dtype, memory.size)


def _written(library: NumPy, memory: Memory, device: int, shape: tuple[int, ...], dtype: str,
             function: str, arguments: Callable[[int], tuple[Any, ...]],
             more: tuple[int, ...]) -> tuple[Any, Any]:
    """An array that a function of the module writes, and what this returns. Weights that were
    converted on the CPU are used there: the numbers are the same."""
    on = library.current_stream(device) if memory.device != CPU else 0
    to = (library if memory.device == device else NUMPY).new(shape, dtype, memory.device, None)
    if memory.device == CPU:
        result = getattr(_core, function)(memory.address, *arguments(to.address), *more)
    else:
        result = getattr(gpu, "gpu_" + function)(memory.address, *arguments(to.address), *more,
                                                 device, on)
    return (library.finished(to, on) if memory.device == device else
            library.from_numpy(to.owner, device)), result
