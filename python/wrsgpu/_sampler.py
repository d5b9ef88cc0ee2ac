"""Weighted sampling with replacement."""

import os
import threading
from typing import Any, Literal

from wrsgpu import _core
from wrsgpu._arguments import (Seed, Size, count_of, integer, require_below, seed_word, shape_of)
from wrsgpu._libraries import SAMPLE_TYPES, Memory, dtype_name, library_of

COUNT_TYPES = ("int64", "uint64")


class Sampler:
    """Draws item i with probability weights[i] / sum(weights), with replacement.

    Args:
        weights: one per item, not necessarily normalised: a one-dimensional array or a sequence of
            1 to 2^32 - 2 numbers. float32 and float64 are read in place; other types are
            converted: integers and bool to float64, which must represent them exactly, and
            smaller floats to float32. They need not outlive the call.
        seed: seed of the stream that draws without a seed of their own continue: an integer
            below 2^64, or a NumPy `Generator` or `SeedSequence`, which gives one. By default it
            comes from the system's entropy; the attribute `seed` says which it is.
        order: "random", or "any", with which a GPU groups many samples by item, to be faster.
        rounds: 10, or 7: rounds of the generator Philox4x32. 7 gives other samples, faster.
        threads: host threads, 0 for all; no result depends on it.

    Raises:
        ValueError: no, too many, negative, infinite or NaN weights (the message gives the first),
            only zeros, a sum that overflows, or an integer that a double does not represent.
        TypeError: weights that are not real numbers.
        MemoryError: the table, 8 bytes per item, does not fit in memory.

    A sampler can be used from several threads at a time, and in forked processes.

    >>> sampler = Sampler([1, 2, 3, 4], seed=7)
    >>> sampler.draw(5)
    array([3, 3, 2, 0, 1])
    >>> sampler.draw((2, 3))  # continues
    array([[3, 2, 3],
           [0, 0, 3]])
    >>> sampler.draw(11, seed=7)[5:]
    array([3, 2, 3, 0, 0, 3])
    """

    seed: int
    """Seed of the stream that draws without a seed continue."""
    offset: int
    """Number of words of that stream that have been used. Set it to skip or to repeat samples."""

    def __init__(self, weights: Any, *, seed: Seed = None,
                 order: Literal["random", "any"] = "random", rounds: Literal[7, 10] = 10,
                 threads: int = 0) -> None:
        self._library = library_of(weights)
        memory = self._library.weights(weights)
        self._prepare(seed, order, rounds, threads)
        self._core.rebuild(memory.address, memory.size, memory.dtype)
        self._size = memory.size

    @classmethod
    def load(cls, file: str | os.PathLike[str], *, like: Any = None, seed: Seed = None,
             order: Literal["random", "any"] = "random", rounds: Literal[7, 10] = 10,
             threads: int = 0) -> "Sampler":
        """Loads a table that `save` wrote, in Python or C++, on the CPU or on a GPU.

        Args:
            file: the path.
            like: an array, of any shape, whose library and device the sampler uses; NumPy without.
            seed, order, rounds, threads: as for the constructor.

        Raises:
            OSError: the file cannot be opened.
            ValueError: it is not a table file, of a later version, incomplete or damaged.
        """
        with open(file, "rb"):  # raises what Python raises for other files
            pass
        sampler = cls.__new__(cls)
        sampler._library = library_of(like)
        sampler._prepare(seed, order, rounds, threads)
        sampler._core.load(os.fspath(file), *sampler._options)
        sampler._size = sampler._core.size()
        return sampler

    def _prepare(self, seed: Seed, order: str, rounds: int, threads: int) -> None:
        if order not in ("random", "any"):
            raise ValueError(f"argument 'order' is {order!r}; it must be 'random' or 'any'")
        if rounds not in (7, 10):
            raise ValueError(f"argument 'rounds' is {rounds!r}; it must be 7 or 10")
        self._options = (order == "any", rounds, integer(threads, "threads", 1 << 32))
        self._core = _core.HostSampler(*self._options)
        self._size = 0
        self._probabilities: Any = None
        self._lock = threading.Lock()  # of the stream's offset
        self.seed = seed_word(seed)
        self.offset = 0

    def __len__(self) -> int:
        """The number of items."""
        return self._size

    def __repr__(self) -> str:
        return f"<wrsgpu.Sampler of {self._size} items, seed {self.seed}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Sampler cannot be pickled; save it to a file and load that, "
                        "or build it where it is used")

    def draw(self, size: Size | None = None, *, seed: Seed = None, offset: int = 0,
             out: Any = None, dtype: Any = None, return_probabilities: bool = False) -> Any:
        """Draws independent samples: item numbers, from 0.

        Args:
            size: how many, or the shape of the result. Can be left out if `out` is given.
            seed: as for the constructor: equal seeds give equal samples. Without it the draw
                continues the stream of `sampler.seed` at `sampler.offset`.
            offset: the number of samples of the stream `seed` to skip: `draw(5, seed=7, offset=3)`
                is `draw(8, seed=7)[3:]`.
            out: a contiguous array of int32, int64, uint32 or uint64, which is written and
                returned.
            dtype: of the result, if there is no `out`; int64 by default.
            return_probabilities: also return the probability of each sample in the table, as
                float32.

        Returns:
            The samples, or a pair of samples and probabilities.

        Raises:
            ValueError: a negative size, an `out` of another shape, or a `dtype` that does not
                hold all item numbers.
            TypeError: an `out` or `dtype` that is not of these types.
            MemoryError: the result does not fit in memory.

        >>> sampler = Sampler([1, 0, 3])
        >>> sampler.draw(4, seed=7, return_probabilities=True)
        (array([2, 2, 0, 0]), array([0.75, 0.75, 0.25, 0.25], dtype=float32))
        """
        to = self._output(size, out, dtype)
        require_below(self._size, to.dtype)
        seed_of_draw, offset_of_draw = self._words(to.size, seed, offset)
        self._core.draw(to.address, to.size, 8 if to.dtype.endswith("64") else 4, seed_of_draw,
                        offset_of_draw)
        if return_probabilities:
            return to.owner, self.probabilities()[to.owner]
        return to.owner

    def histogram(self, samples: int, *, seed: Seed = None, offset: int = 0,
                  out: Any = None) -> Any:
        """Counts the samples that `draw` gives for the same arguments, without storing them.

        Args:
            samples: how many to draw, below 2^64.
            seed, offset: as for `draw`.
            out: a contiguous array of int64 or uint64, one element for each item, which is
                written and returned.

        Returns:
            The number of samples of each item, as int64.

        >>> Sampler([1, 2, 3, 4]).histogram(1_000_000, seed=7)
        array([ 99953, 200797, 299816, 399434])
        """
        count = integer(samples, "samples")
        to = (self._library.output(out, "out", COUNT_TYPES) if out is not None else
              self._library.output(self._library.empty((self._size,), "int64", -1), "out",
                                   COUNT_TYPES))
        if to.size != self._size:
            raise ValueError(f"argument 'out' has {to.size} elements; the table has {self._size} "
                             "items")
        self._core.histogram(to.address, to.size, count, *self._words(count, seed, offset))
        return to.owner

    def probabilities(self) -> Any:
        """The probability of each item in the table, as float32.

        They differ from weights[i] / sum(weights) by the rounding of weights to multiples of 2^-32
        of their mean, and that to float32. An item whose weight is rounded to zero is never drawn.

        Returns:
            An array that the sampler keeps until its next rebuild, read-only in NumPy.

        >>> Sampler([1, 2, 5]).probabilities()
        array([0.125, 0.25 , 0.625], dtype=float32)
        """
        if self._probabilities is None:
            values = self._library.empty((self._size,), "float32", -1)
            to = self._library.output(values, "out", ("float32",))
            self._core.probabilities(to.address, to.size)
            values.flags.writeable = False
            self._probabilities = values
        return self._probabilities

    def rebuild(self, weights: Any) -> None:
        """Replaces the weights, whose number may differ; seed and offset go on.

        Args:
            weights: as for the constructor, of the same library.

        Raises:
            As the constructor does. After a ValueError or TypeError the old table is kept.

        >>> sampler = Sampler([1, 1])
        >>> sampler.rebuild([0, 0, 1])
        >>> sampler.draw(3)
        array([2, 2, 2])
        """
        memory = self._library.weights(weights)
        try:
            self._core.rebuild(memory.address, memory.size, memory.dtype)
        finally:
            self._size = self._core.size()
            self._probabilities = None

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the table to a file, which is complete or absent; C++ can load it, too.

        Raises:
            OSError: the file cannot be written.
        """
        path = os.fspath(file)
        try:
            self._core.save(path)
        except ValueError as error:
            raise OSError(f"cannot save the table: {error}") from None

    def _output(self, size: Size | None, out: Any, dtype: Any) -> Memory:
        """The array to draw to: `out`, or a new one."""
        if out is None:
            if size is None:
                raise TypeError("draw() needs 'size' or 'out'")
            shape = shape_of(size)
            count_of(shape)
            name = self._library.default_dtype if dtype is None else dtype_name(dtype)
            out = self._library.empty(shape, name, -1)
        else:
            if dtype is not None:
                raise TypeError("draw() takes 'dtype' or 'out', not both")
            if size is not None and shape_of(size) != tuple(out.shape):
                raise ValueError(f"argument 'out' has shape {tuple(out.shape)}, and 'size' is "
                                 f"{size}")
        return self._library.output(out, "out", SAMPLE_TYPES)

    def _words(self, count: int, seed: Seed, offset: int) -> tuple[int, int]:
        """Seed and offset of a draw; advances the sampler's own."""
        if seed is not None:
            return seed_word(seed), integer(offset, "offset")
        if offset != 0:
            raise TypeError("argument 'offset' needs a 'seed'; set the attribute offset to move "
                            "in the sampler's own stream")
        with self._lock:
            begin = self.offset
            self.offset = (begin + count) % (1 << 64)
        return self.seed, begin


def choice(weights: Any, size: Size | None = None, replace: bool = True, *, seed: Seed = None,
           dtype: Any = None) -> Any:
    """Draws items of given weights in one call, as `numpy.random.Generator.choice` does with `p`.

    Every call builds a table, in time proportional to the number of items: a `Sampler` that is
    kept is faster for several draws.

    Args:
        weights: as for `Sampler`; they need not add up to 1.
        size: number of samples, or shape of the result; without it the result is one number.
        replace: True. Weighted sampling without replacement is not implemented yet; for uniform
            weights see `sample_without_replacement`.
        seed: an integer below 2^64, or a NumPy `Generator` or `SeedSequence`; equal seeds give
            equal samples. By default from the system's entropy.
        dtype: of the result, int64 by default.

    Raises:
        As `Sampler` and its `draw` do.
        NotImplementedError: replace=False.

    >>> choice([0.5, 0.25, 0.25], 4, seed=1)
    array([2, 2, 0, 2])
    """
    if not replace:
        raise NotImplementedError(
            "argument 'replace' is False; wrsgpu does not draw weighted samples without "
            "replacement yet (wrsgpu.sample_without_replacement draws uniform ones)")
    samples = Sampler(weights, seed=seed).draw(() if size is None else size, dtype=dtype)
    return int(samples) if size is None else samples
