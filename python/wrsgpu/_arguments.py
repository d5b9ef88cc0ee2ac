"""Checks of the arguments that users pass."""

import math
import operator
import os
import secrets
import sys
import threading
from typing import Any, SupportsIndex

import numpy as np

from wrsgpu._libraries import require_readable

# Also torch.Generator, and keys of jax.random.
Seed = SupportsIndex | np.random.Generator | np.random.SeedSequence | Any | None
Size = SupportsIndex | tuple[SupportsIndex, ...] | list[SupportsIndex]
WORDS = 1 << 64
MAX_SAMPLES = 1 << 60  # in one array, whose bytes an int64 counts


def integer(value: Any, name: str, end: int = WORDS, what: str = "an integer",
            least: int = 0) -> int:
    """The value of an argument that is an integer in [least, end); `what` says what else it could
    have been."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"argument '{name}' is {value!r}; it must be {what}") from None
    if not least <= number < end:
        raise ValueError(f"argument '{name}' is {number}; it must be between {least} and {end - 1}")
    return number


def renamed(error: Exception, old: str, new: str) -> Exception:
    """A ValueError or TypeError of C++ or of an inner function with the argument's name here."""
    return type(error)(str(error).replace(f"argument '{old}'", f"argument '{new}'", 1))


def is_zero(offset: Any) -> bool:
    """Whether an argument `offset` is that of a draw without it."""
    return (type(offset) is int and offset == 0) or integer(offset, "offset") == 0


def truth_of(value: Any, name: str) -> bool:
    """The value of an argument that is a bool, or what stands for one."""
    try:
        return bool(value)
    except (TypeError, ValueError, RuntimeError):  # arrays
        raise TypeError(f"argument '{name}' is {value!r}; it must be a bool") from None


def rounds_of(rounds: Any) -> int:
    """The value of an argument `rounds`."""
    try:
        number = operator.index(rounds)
    except TypeError:
        raise TypeError(f"argument 'rounds' is {rounds!r}; it must be 7 or 10") from None
    if number not in (7, 10):
        raise ValueError(f"argument 'rounds' is {number}; it must be 7 or 10")
    return number


def require_no_stream(check: bool, stream: Any) -> None:
    """Checks that a rebuild that waits is not asked to take place on a stream."""
    if check and stream is not None:
        raise TypeError("argument 'stream' needs check=False")


def path_of(file: Any) -> str:
    """The path that an argument `file` names, which the library gets as UTF-8."""
    try:
        path = os.fsdecode(file)
    except TypeError:
        raise TypeError(f"argument 'file' is {file!r}; it must be a path") from None
    if "\0" in path or any("\ud800" <= character <= "\udfff" for character in path):
        raise ValueError(f"argument 'file' is {path!r}; it must be UTF-8 without null characters")
    return path


def seed_word(seed: Seed) -> int:
    """The 64-bit seed that an argument `seed` stands for; None: from the system's entropy."""
    if seed is None:
        return secrets.randbits(64)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(WORDS, dtype=np.uint64))
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0])
    module = type(seed).__module__.split(".")[0]
    if module == "torch" and not hasattr(seed, "data_ptr"):
        return _of_torch(seed)
    if module in ("jax", "jaxlib"):
        return _of_jax(seed)
    return integer(seed, "seed", what="an integer, a NumPy Generator or SeedSequence, a "
                                      "torch.Generator or a key of jax.random")


_generators = threading.Lock()


def _of_torch(generator: Any) -> int:
    """A word of the generator's stream. From a generator of a GPU, whose state is on the host, that
    of SplitMix64 for its seed and offset, so that nothing waits for the GPU."""
    torch = sys.modules["torch"]
    if generator.device.type != "cuda":
        word = torch.empty((), dtype=torch.int64, device=generator.device)
        return int(word.random_(generator=generator).item())
    with _generators:
        offset = generator.get_offset()  # a multiple of 4
        generator.set_offset(offset + 4)
    word = (generator.initial_seed() + (offset // 4 + 1) * 0x9E3779B97F4A7C15) % WORDS
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORDS
    word = (word ^ word >> 27) * 0x94D049BB133111EB % WORDS
    return int(word ^ word >> 31)


def _of_jax(key: Any) -> int:
    """The two words of a key. A key is not used up; split it, as JAX does."""
    jax = sys.modules["jax"]
    require_readable(key, "seed")
    words = jax.random.key_data(key) if jax.dtypes.issubdtype(
        key.dtype, jax.dtypes.prng_key) else key
    if words.shape != (2,) or words.dtype != np.uint32:
        raise TypeError(f"argument 'seed' is an array of shape {words.shape} and dtype "
                        f"{words.dtype}; it must be a key of jax.random, of two 32-bit words")
    high, low = np.asarray(words).tolist()
    return int(high) << 32 | int(low)


def shape_of(size: Size) -> tuple[int, ...]:
    """The shape that an argument `size` asks for."""
    if isinstance(size, (tuple, list)):
        return tuple(integer(part, f"size[{place}]") for place, part in enumerate(size))
    return (integer(size, "size", what="an integer or a tuple of integers"),)


def count_of(shape: tuple[int, ...], name: str = "size") -> int:
    count = math.prod(shape)
    if count >= MAX_SAMPLES:
        raise ValueError(f"argument '{name}' asks for {count} samples, of shape {shape}; there must "
                         "be fewer than 2^60")
    return count


def require_below(items: int, dtype: str) -> None:
    """Checks that the numbers below `items` fit in a type of integers."""
    bits = int(dtype.removeprefix("u").removeprefix("int")) - (not dtype.startswith("u"))
    if items > 1 << bits:
        raise ValueError(f"argument 'dtype' is {dtype}; it does not hold the {items} numbers "
                         f"from 0 to {items - 1}")
