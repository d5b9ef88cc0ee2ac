"""Uniform permutations, and samples without replacement from them."""

import operator
from collections.abc import Iterator
from typing import Any, SupportsIndex

import numpy as np

from wrsgpu import _core
from wrsgpu._arguments import (Seed, Size, count_of, integer, require_below, seed_word, shape_of)
from wrsgpu._libraries import CPU, as_numpy, gpu, library_like, library_of
from wrsgpu._work import target

MAX_ITEMS = 1 << 40


def sample_without_replacement(items: SupportsIndex, size: Size | None = None, *,
                               seed: Seed = None, first: int = 0, out: Any = None,
                               dtype: Any = None, like: Any = None, stream: Any = None,
                               threads: int = 0) -> Any:
    """Draws distinct numbers below `items`, uniformly, in random order.

    The draws are those from place `first` on of a permutation that `items` and `seed` determine:
    calls with consecutive places continue one sample, and all together are a permutation. Takes no
    temporary memory.

    Args:
        items: size of the population, 1 to 2^40.
        size: number of draws, or shape of the result, at most items - first. Can be left out if
            `out` is given.
        seed: as for `Sampler`.
        first: number of draws to skip.
        out: a contiguous array of int32, int64, uint32 or uint64, which is written and returned.
        dtype: of the result, if there is no `out`; int64 by default, int32 in JAX unless it is
            configured for 64 bits.
        like: an array whose library and device the result has; NumPy without.
        stream: on a GPU, as for `Sampler.draw`.
        threads: host threads, 0 for all; the result does not depend on it.

    Raises:
        ValueError: arguments out of range, or an `out` or `dtype` that does not hold the numbers.
        TypeError: arguments of other types.

    >>> sample_without_replacement(10**12, 3, seed=7)
    array([572760096210, 962611990601, 185532407103])
    """
    population = integer(items, "items", MAX_ITEMS + 1, least=1)
    skipped = integer(first, "first")
    library = library_like(like) if out is None else library_of(out)
    device = library.device(like, "like") if out is None else library.device(out, "out")
    if out is None and size is not None and count_of(shape_of(size)) > population - skipped:
        raise ValueError(f"argument 'size' is {size}; {_left(population, skipped)}")
    library, to, on = target(library, device, size, out, dtype, stream)
    if to.size > population - skipped:
        raise ValueError(f"argument 'out' has {to.size} elements; {_left(population, skipped)}")
    require_below(population, to.dtype)
    word = seed_word(library.default_seed(seed))
    threads = integer(threads, "threads", 1 << 32)
    if to.size == 0:
        pass
    elif device == CPU:
        _core.sample_without_replacement(population, to.address, to.size, to.bytes, word, skipped,
                                         threads)
    else:
        gpu.gpu_sample_without_replacement(population, to.address, to.size, to.bytes, word,
                                            skipped, device, on)
    return library.finished(to, on) if out is None else out


class Permutation:
    """A random permutation of the numbers below `len(permutation)`, computed on demand: it takes no
    memory. `shuffle` makes one.

    >>> permutation = shuffle(10**12, seed=7)
    >>> permutation[0], permutation[-1]
    (572760096210, 693096193033)
    >>> permutation[1:3]
    array([962611990601, 185532407103])
    >>> permutation[[5, 0]]
    array([276853649526, 572760096210])
    >>> permutation.index(572760096210)
    0
    """

    seed: int
    """The seed, from which `shuffle` makes the same permutation."""

    def __init__(self, items: SupportsIndex, seed: Seed = None) -> None:
        self._items = integer(items, "items", MAX_ITEMS + 1, least=1)
        self.seed = seed_word(seed)

    def __len__(self) -> int:
        return self._items

    def __repr__(self) -> str:
        return f"wrsgpu.shuffle({self._items}, seed={self.seed})"

    def __getitem__(self, place: Any) -> Any:
        """The number at a place, or an array (int64) of those at the places of a slice or array."""
        if isinstance(place, slice):
            begin, end, step = place.indices(self._items)
            if step != 1:
                return self._mapped(np.arange(begin, end, step, dtype=np.int64), False)
            return sample_without_replacement(self._items, max(end - begin, 0), seed=self.seed,
                                              first=begin)
        library_of(place).require_dense(place, "place")
        if isinstance(place, list) or len(getattr(place, "shape", ())) > 0:
            places = as_numpy(place, "place")
            if places.size > 0 and places.dtype.kind not in "iu":
                raise TypeError(f"places have dtype {places.dtype}; they must be integers")
            return self._mapped(self._checked(places), False)
        try:
            number = operator.index(place)
        except TypeError:
            raise TypeError(f"place {place!r} of a permutation is not an integer, a slice or an "
                            "array of integers") from None
        return int(self._mapped(self._checked(np.array(number)), False))

    def __iter__(self) -> Iterator[int]:
        for begin in range(0, self._items, 4096):
            yield from self[begin:begin + 4096].tolist()

    def __contains__(self, number: Any) -> bool:
        try:
            return operator.index(number) in range(self._items)
        except TypeError:
            return False

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an array of a permutation is computed, and thus a copy")
        return np.asarray(self[:], dtype)

    def index(self, value: SupportsIndex) -> int:
        """The place of a number.

        Raises:
            ValueError: the number is not below `len(permutation)`.
        """
        number = integer(value, "value", self._items)
        return int(self._mapped(np.array(number, np.int64), True))

    def _checked(self, places: Any) -> Any:
        """The places, counted from the front; raises IndexError for one outside."""
        outside = (places < -self._items) | (places >= self._items)
        if np.any(outside):
            raise IndexError(f"place {np.extract(outside, places)[0]} is outside a permutation of "
                             f"{self._items} numbers")
        numbers = places.astype(np.int64)
        return np.where(numbers < 0, numbers + self._items, numbers)

    def _mapped(self, places: Any, inverse: bool) -> Any:
        """The numbers at the places, or, if `inverse`, the places of the numbers."""
        numbers = np.array(places, np.int64, order="C")
        _core.permute(self._items, numbers.__array_interface__["data"][0], numbers.size, self.seed,
                      inverse)
        return numbers


def shuffle(items: SupportsIndex, *, seed: Seed = None) -> Permutation:
    """A random permutation of the numbers below `items`, of which only the parts that are read are
    computed.

    Args:
        items: 1 to 2^40.
        seed: an integer below 2^64, or a NumPy `Generator` or `SeedSequence`. By default from the
            system's entropy; the attribute `seed` of the result says which it is.

    >>> shuffle(10**12, seed=7)[5]
    276853649526
    >>> sorted(shuffle(6))
    [0, 1, 2, 3, 4, 5]
    """
    return Permutation(items, seed)


def _left(population: int, skipped: int) -> str:
    if skipped == 0:
        return f"there are {population} items"
    left = max(population - skipped, 0)
    return f"after the first {skipped} of {population} items only {left} remain"
