"""What draws have in common: the array that they write, the stream of the work, and a random state in
memory."""

import ctypes
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from wrsgpu._arguments import WORDS, Seed, Size, count_of, is_zero, shape_of
from wrsgpu._libraries import (CPU, SAMPLE_TYPES, Memory, NumPy, Torch, device_name, dtype_name, gpu,
                               library_of, stream_address)

COUNT_TYPES = ("int64", "uint64")  # also of states
_states = threading.Lock()  # of states on the CPU, which threads can share


def target(library: NumPy, device: int, size: Size | None, out: Any, dtype: Any, stream: Any,
           dtypes: tuple[str, ...] = SAMPLE_TYPES) -> tuple[NumPy, Memory, int]:
    """The array to write to, which is `out` or a new one of `library` on the device, its library, and
    the stream of the work."""
    if out is None:
        if size is None:
            raise TypeError("a draw needs 'size' or 'out'")
        shape = shape_of(size)
        count_of(shape)
        name = library.default_dtype() if dtype is None else dtype_name(dtype)
        explicit = None if stream is None else stream_address(stream)
        on = library.current_stream(device) if explicit is None else explicit
        return library, library.new(shape, name, device, explicit), on
    if dtype is not None:
        raise TypeError("a draw takes 'dtype' or 'out', not both")
    library = library_of(out)
    to = library.output(out, "out", dtypes)
    if size is not None and shape_of(size) != tuple(out.shape):
        raise ValueError(f"argument 'out' has shape {tuple(out.shape)}; it must be "
                         f"{shape_of(size)}")
    if to.device != device:
        raise ValueError(f"argument 'out' is on {device_name(to.device)}; it must be on "
                         f"{device_name(device)}")
    if device == CPU:
        return library, to, 0
    on = library.current_stream(device)
    if stream is not None and (other := stream_address(stream)) != on:
        on = other
        library.keep(out, device, on)
    return library, to, on


def stream_after(library: NumPy, device: int, stream: Any, *read: Any) -> int:
    """The stream of work on a GPU that reads arrays of the library, which work on the current one may
    have converted."""
    current = library.current_stream(device)
    on = current if stream is None else stream_address(stream)
    if on != current:
        gpu.order_streams(current, on, device)
        for array in read:
            library_of(array).keep(array, device, on)
    return on


def checked_state(to: Memory, seed: Seed, offset: int, state: Any) -> Memory:
    """The elements of an argument `state`, which is not None, of a draw that writes to `to`."""
    if seed is not None or not is_zero(offset):
        raise TypeError("a draw takes 'state', or 'seed' and 'offset', not both")
    memory = library_of(state).output(state, "state", COUNT_TYPES)
    if memory.size != 2:
        raise ValueError(f"argument 'state' has {memory.size} elements; it must have 2")
    if memory.device != to.device:
        raise ValueError(f"argument 'state' is on {device_name(memory.device)}; it must be on "
                         f"{device_name(to.device)}")
    if max(memory.address, to.address) < min(memory.address + 16, to.address + to.size * to.bytes):
        raise ValueError("arguments 'state' and 'out' overlap in memory; the draw would write its "
                         "result to the state")
    return memory


def state_on_gpu(library: NumPy, to: Memory, seed: Seed, offset: int, state: Any,
                 stream: int) -> Memory | None:
    """The random state in the GPU's memory, if the draw uses one, which writes to `to`: that of the
    argument, or one that the seed, torch's generator of a GPU, writes."""
    device = to.device
    if state is None:
        if (seed is None or not is_zero(offset) or not isinstance(library, Torch)
                or getattr(getattr(seed, "device", None), "type", "") != "cuda"):
            return None
        return library.generated_state(seed, device, stream)
    memory = checked_state(to, seed, offset, state)
    of_state = library_of(state)
    if stream != of_state.current_stream(device):
        of_state.keep(state, device, stream)
    return memory


def use_state(memory: Memory, use: Callable[[int, int], int]) -> None:
    """Advances a state on the CPU by the number of words that `use(seed, offset)` returns, for which
    other threads wait."""
    words = (ctypes.c_uint64 * 2).from_address(memory.address)
    with _states:
        words[1] += use(words[0], words[1])


def drawn_by_state(memory: Memory, count: int, draw: Callable[..., Any]) -> Any:
    """What `draw(seed, offset)`, a draw of `count` words, returns. Advances a state on the CPU, but
    for a draw that fails. Threads draw at the same time."""
    words = (ctypes.c_uint64 * 2).from_address(memory.address)
    with _states:
        seed, offset = words
        words[1] = offset + count
    try:
        return draw(seed, offset)
    except BaseException:
        with _states:  # words before those that another thread has taken are lost
            if words[1] == (offset + count) % WORDS:
                words[1] = offset
        raise


def drawn(library: NumPy, to: Memory, count: int, seed: Seed, offset: int, state: Any, stream: int,
          with_words: Callable[[int, Seed, int, Callable[..., Any]], Any],
          draw: Callable[..., Any]) -> Any:
    """What a draw of `count` words, which writes to `to`, returns. It is called with the numbers that
    the module takes: seed and offset, and on a GPU the address of a state or 0.

    Args:
        with_words: calls `draw(seed, offset)` without a state: `with_words(count, seed, offset, draw)`.
    """
    if to.device == CPU:
        if state is None:
            return with_words(count, seed, offset, draw)
        return drawn_by_state(checked_state(to, seed, offset, state), count, draw)
    memory = state_on_gpu(library, to, seed, offset, state, stream)
    if memory is not None:  # it lives until the work is launched
        return draw(0, 0, memory.address)
    if seed is None and gpu.is_capturing(stream):
        refuse_capture()
    return with_words(count, seed, offset, lambda *words: draw(*words, 0))


def refuse_capture() -> NoReturn:
    raise RuntimeError("a draw without seed is being captured in a CUDA graph, whose replays would "
                       "all draw the same samples; pass state=wrsgpu.random_state(...), or a "
                       "torch.Generator as seed")


def complete(check: bool, device: int, stream: Any, on: int) -> None:
    """After a check on a stream that the user named: waits for what follows the check there, so that
    the result can be read on any stream."""
    if check and stream is not None and device != CPU:
        gpu.synchronise(on, device)


def require_no_capture(device: int, stream: int) -> None:
    """Checks that work for which the host waits is not captured in a graph."""
    if device != CPU and gpu.is_capturing(stream):
        raise RuntimeError("the stream is being captured in a CUDA graph, and the host cannot wait "
                           "for a check there; pass check=False")
