"""Weighted sampling without replacement and from each row of a matrix, resampling, and counts."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, SupportsIndex

from wrsgpu import _core
from wrsgpu._arguments import (Seed, count_of, integer, require_below, seed_word, shape_of,
                               truth_of)
from wrsgpu._libraries import CPU, NUMPY, Memory, NumPy, gpu, library_of
from wrsgpu._work import COUNT_TYPES, complete, drawn, require_no_capture, stream_after, target



def choose(weights: Any, size: Any, seed: Seed, offset: int = 0, *, state: Any = None,
           out: Any = None, dtype: Any = None, stream: Any = None, allow_fewer: bool = False,
           check: bool = True) -> Any:
    """Different items, as many as `size` says, in the order in which they are drawn. Uses as many
    words of the stream `seed` as there are weights."""
    allow_fewer = truth_of(allow_fewer, "allow_fewer")
    memory = library_of(weights).weights(weights, check)

    def new_target(library: NumPy, device: int, dtype: Any) -> tuple[NumPy, Memory, int]:
        return target_of_choice(library, device, memory.size, size, out, dtype, stream, allow_fewer)

    return _items("choose", (allow_fewer,), weights, memory, memory.size, new_target,
                  _Arguments(seed, offset, state, out, dtype, stream, check))


def target_of_choice(library: NumPy, device: int, items: int, size: Any, out: Any, dtype: Any,
                     stream: Any, allow_fewer: bool = False) -> tuple[NumPy, Memory, int]:
    """What `target` gives for different ones of so many items."""
    if out is None and size is not None:
        shape = shape_of(size)
        _require_choice(items, f"argument 'size' is {size}", shape, allow_fewer)
        size = tuple(min(count, items) for count in shape) if allow_fewer else shape
    library, to, on = target(library, device, size, out, dtype, stream)
    if out is not None:
        shape = tuple(out.shape)
        _require_choice(items, f"argument 'out' has shape {shape}", shape, allow_fewer)
    require_below(items, to.dtype)
    return library, to, on


def _require_choice(items: int, what: str, shape: tuple[int, ...], allow_fewer: bool) -> None:
    if allow_fewer:
        if len(shape) > 1:
            raise ValueError(f"{what}; with allow_fewer it must be one number")
    elif count_of(shape) > items > 0:
        raise ValueError(f"{what}; without replacement at most as many samples as there are weights "
                         f"can be drawn, {items}")


def shortened(items: Any, size: int, found: int | None) -> Any:
    """The first `found` of `size` items; None: all."""
    return items if found is None or found >= size else items[:found]


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
             *, seed: Seed = None, state: Any = None, out: Any = None, dtype: Any = None,
             stream: Any = None, check: bool = True) -> Any:
    """Draws ancestors for a particle filter or the bootstrap: items in ascending order, item i
    e_i = size * weights[i] / sum(weights) times on average.

    Args:
        weights: as for `Sampler`, of any library; on a GPU the ancestors are drawn there.
        size: number of ancestors; by default as many as there are in `out`, or as there are weights.
        scheme: "systematic", one random offset for points at equal distances, draws item i
            floor(e_i) or ceil(e_i) times; "stratified", a random point in each of `size` strata, at
            most one time more or less; "residual" floor(e_i) times, and the others independently
            with the fractions as weights; "multinomial" draws independently.
        seed: as for `Sampler`.
        state: as for `Sampler.draw`; advanced by the number of ancestors.
        out, dtype, stream: as for `Sampler.draw`.
        check: on a GPU, False does not wait for the outcome, and can be captured in a graph, if there
            is a `state` and weights are of float32 or float64. They must not change before the work
            has run. If one is invalid, all ancestors become -1 (in unsigned types the largest
            number).

    Raises:
        ValueError: with `check` invalid weights, for a size of 0, too; and an unknown scheme.
        TypeError: as `Sampler` and its `draw` do.
        RuntimeError: with `check`, while the stream is captured in a graph, and as for
            `Sampler.draw`.

    >>> resample([0.5, 0, 0.25, 0.25], 8, seed=1)
    array([0, 0, 0, 0, 2, 2, 3, 3])
    """
    schemes = ("systematic", "stratified", "residual", "multinomial")
    if not isinstance(scheme, str):
        raise TypeError(f"argument 'scheme' is {scheme!r}; it must be one of {', '.join(schemes)}")
    if scheme not in schemes:
        raise ValueError(f"argument 'scheme' is {scheme!r}; it must be one of "
                         f"{', '.join(schemes)}")
    memory = library_of(weights).weights(weights, check)
    count = None
    if size is not None:
        count = (integer(size, "size", (1 << 32) - 1),)
    elif out is None:
        count = (memory.size,)

    def new_target(library: NumPy, device: int, dtype: Any) -> tuple[NumPy, Memory, int]:
        to = target(library, device, count, out, dtype, stream)
        require_below(memory.size, to[1].dtype)
        return to

    return _items("resample", (schemes.index(scheme),), weights, memory, None, new_target,
                  _Arguments(seed, 0, state, out, dtype, stream, check))


def multinomial_counts(weights: Any, samples: SupportsIndex, *, seed: Seed = None,
                       offset: int = 0, state: Any = None, out: Any = None, stream: Any = None,
                       check: bool = True) -> Any:
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
        state: as for `Sampler.draw`; advanced by 1.
        out: a contiguous array of int64 or uint64, one element for each item, which is written and
            returned.
        stream: as for `Sampler.draw`.
        check: as for `resample`: without, all counts become -1 if a weight is invalid.

    Returns:
        One count per item, as int64, for which JAX must be configured for 64 bits.

    Raises:
        As `resample` does.

    >>> multinomial_counts([1, 2, 3, 4], 10**15, seed=7)
    array([100000006606914, 199999979371984, 300000007120218, 400000006900884])
    """
    memory = library_of(weights).weights(weights, check)
    count = integer(samples, "samples", 1 << 63)

    def new_target(library: NumPy, device: int, _dtype: Any) -> tuple[NumPy, Memory, int]:
        return target(library, device, (memory.size,), out, "int64" if out is None else None, stream,
                      COUNT_TYPES)

    return _items("multinomial_counts", (count,), weights, memory, 1, new_target,
                  _Arguments(seed, integer(offset, "offset"), state, out, None, stream, check))


def _require_some(memory: Memory) -> None:
    if memory.size == 0:
        raise ValueError("argument 'weights' is empty; at least one is needed")


class _Arguments(NamedTuple):
    """Arguments that users pass to all functions that write an array."""

    seed: Seed
    offset: int
    state: Any
    out: Any
    dtype: Any
    stream: Any
    check: bool


def _items(function: str, more: tuple[int, ...], weights: Any, memory: Memory, words: int | None,
           new_target: Callable[[NumPy, int, Any], tuple[NumPy, Memory, int]],
           given: _Arguments) -> Any:
    """An array of items, or of one number for each, that a function of the module writes.

    Args:
        more: its arguments beside those of all.
        words: how many it uses; by default as many as it writes.
        new_target: gives the array, of a library on a device.
    """
    library = library_of(weights)
    device = library.device(weights)
    place = memory.device
    _require_some(memory)
    if place != device:  # weights that were converted on the CPU, where the items are the same
        for name in ("state", "out", "stream"):
            if getattr(given, name) is not None:
                raise TypeError(f"argument '{name}' needs weights of floats on a GPU; these have "
                                f"dtype {weights.dtype}")
    there = library if place == device else NUMPY
    default = library.default_dtype() if given.dtype is None and given.out is None else given.dtype
    of_target, to, on = new_target(there, place, default)
    if given.check:
        require_no_capture(place, on)
    written = to
    if to.size == 0 and (given.check or place == CPU):  # one is drawn, to check the weights
        written = there.new((1,), "int32", place, None if given.stream is None else on)
    arguments = (memory.address, memory.size, memory.dtype, written.address, written.size,
                 written.bytes, *more)

    def draw(*numbers: int) -> Any:
        if written.size == 0:
            return None
        if to.size == 0:  # not with a state, which would be advanced
            numbers = len(numbers) * (0,)
        if place == CPU:
            return getattr(_core, function)(*arguments, *numbers)
        stream_after(library, place, on, memory.owner)
        found = getattr(gpu, "gpu_" + function)(*arguments, bool(given.check), *numbers, place, on)
        complete(given.check, place, given.stream, on)
        return found

    used = to.size if words is None or to.size == 0 else words
    found = drawn(library, to, used, given.seed, given.offset, given.state, on,
                  lambda _, seed, offset, use: use(seed_word(library.default_seed(seed)), offset),
                  draw)
    items = of_target.finished(to, on) if given.out is None else given.out
    if given.check or place == CPU:
        items = shortened(items, to.size, found)
    return items if place == device else library.from_numpy(items, device)
