"""Weighted sampling without replacement, and from each row of a matrix."""

from typing import Any

from wrsgpu import _core
from wrsgpu._arguments import count_of, require_below, shape_of
from wrsgpu._libraries import CPU, NUMPY, Memory, NumPy, dtype_name, library_of

_gpu: Any = _core  # what the module has only if it was built with CUDA


def choose(weights: Any, size: Any, seed: int, offset: int = 0, dtype: Any = None) -> Any:
    """Different items, as many as `size` says, in the order in which they are drawn. Uses as many
    words of the stream `seed` as there are weights."""
    library = library_of(weights)
    memory = library.weights(weights, True)
    shape = shape_of(size)
    name = library.default_dtype() if dtype is None else dtype_name(dtype)
    require_below(memory.size, name)
    if count_of(shape) > memory.size:
        raise ValueError(f"argument 'size' is {size}; without replacement at most as many samples "
                         f"as there are weights can be drawn, {memory.size}")
    numbers = _indices(library, memory, library.device(weights), shape, "choose",
                       (memory.size,), (count_of(shape),), seed, offset)
    return library.as_numbers(numbers, name, memory.size)


def draw_from_rows(weights: Any, samples: int, seed: int, offset: int) -> Any:
    """Samples with replacement from each row of a matrix, in the order of rows; int64. On a GPU the
    weights have been checked."""
    library = library_of(weights)
    rows, columns = weights.shape
    memory = library.weights(weights.reshape(-1), False)
    numbers = _indices(library, memory, library.device(weights), (rows, samples), "multinomial",
                       (rows, columns), (samples,), seed, offset)
    return library.as_numbers(numbers, "int64", columns)


def _indices(library: NumPy, memory: Memory, device: int, shape: tuple[int, ...], function: str,
             sizes: tuple[int, ...], counts: tuple[int, ...], seed: int, offset: int) -> Any:
    """An array of the 32-bit numbers that a function of the module writes, typed as int32. Weights
    that were converted on the CPU are used there: the numbers are the same."""
    on = library.current_stream(device) if memory.device != CPU else 0
    to = (library if memory.device == device else NUMPY).new(shape, "int32", memory.device, None)
    arguments: list[Any] = [memory.address, *sizes]
    arguments += ([memory.dtype, to.address, *counts] if function == "choose" else
                  [memory.dtype, *counts, to.address])
    if to.size > 0:
        if memory.device == CPU:
            getattr(_core, function)(*arguments, seed, offset)
        else:
            getattr(_gpu, "gpu_" + function)(*arguments, seed, offset, device, on)
    return (library.finished(to, on) if memory.device == device else
            library.from_numpy(to.owner, device))
