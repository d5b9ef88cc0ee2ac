"""Weighted sampling from many segments, such as the rows of a CSR matrix."""

from typing import Any, Literal, NoReturn

import numpy as np

from wrsgpu import _core
from wrsgpu._arguments import (Seed, integer, renamed, require_no_stream, rounds_of,
                               seed_word, truth_of)
from wrsgpu._libraries import (CPU, NUMPY, Memory, NumPy, as_numpy, device_name, dtype_name,
                               gpu, library_of, require_vector, stream_address)
from wrsgpu._readers import Readers
from wrsgpu._stream import OwnStream
from wrsgpu._work import stream_after

ITEM_TYPES = ("int32", "uint32")


class SegmentedSampler(OwnStream):
    """Draws from segments of weights, each by its own exact alias table: item i of a segment with
    probability weights[i] / sum(weights of the segment).

    Args:
        offsets: R + 1 integers of 32 or 64 bits: segment s has the items offsets[s] to
            offsets[s + 1] - 1, as in the row pointers of a CSR matrix or graph. None for a matrix
            of weights, whose rows are the segments.
        weights: of all segments behind each other: up to 2^32 - 2 numbers, as for `Sampler`. The
            sampler draws where they are, and returns arrays of their library.
        empty_ok: permits segments that are empty or have no positive weight; draws from them give
            -1.
        keep_weights: keeps the weights, for draws without replacement. They must not be changed.
        seed, rounds, threads: as for `Sampler`.

    Raises:
        ValueError: offsets that do not fit; an invalid weight, or a segment without weight, which
            the message names.
        TypeError, MemoryError, RuntimeError: as `Sampler` does.

    >>> sampler = SegmentedSampler([0, 2, 3, 6], [1, 1, 5, 1, 2, 7], seed=1)
    >>> sampler.draw([0, 2, 2], 4)
    array([[1, 1, 1, 1],
           [5, 5, 4, 5],
           [5, 5, 5, 5]])
    """

    def __init__(self, offsets: Any, weights: Any, *, seed: Seed = None, empty_ok: bool = False,
                 keep_weights: bool = False, rounds: Literal[7, 10] = 10,
                 threads: int = 0) -> None:
        self._options = (rounds_of(rounds), integer(threads, "threads", 1 << 32), empty_ok)
        library = library_of(weights)
        device = library.device(weights)
        self._library: NumPy = library
        self._device = device
        self._keep_weights = truth_of(keep_weights, "keep_weights")
        self._weights: Memory | None = None
        self._core: Any = self._new_core()
        self._readers = Readers()
        self._segments = self._size = 0
        self._pending: list[Any] = []  # what a rebuild on a stream reads
        self._checked = False  # whether the last rebuild was without check, and checked at once
        self.rebuild(offsets, weights)
        self._begin_stream(seed_word(library.default_seed(seed)))

    def _new_core(self) -> Any:
        rounds, threads, empty_ok = self._options
        if self._device == CPU:
            return _core.HostSegments(rounds, threads, empty_ok)
        return gpu.GpuSegments(self._device, rounds, empty_ok)

    def __len__(self) -> int:
        """The number of segments."""
        return self._segments

    def __repr__(self) -> str:
        return (f"<wrsgpu.SegmentedSampler of {self._segments} segments of {self._size} items on "
                f"{device_name(self._device)}, seed {self.seed}>")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SegmentedSampler can be neither pickled nor copied; build it where it is "
                        "used")

    def rebuild(self, offsets: Any, weights: Any, *, check: bool = True,
                stream: Any = None) -> None:
        """Builds the tables anew, as the constructor does, on the same device.

        Args:
            offsets, weights: as for the constructor.
            check: on a GPU, False leaves checks to `finish`: the rebuild takes place on the stream,
                without waiting, and can be captured in a graph, if there were never fewer segments
                and items and the arguments need no conversion. They must not change before
                `finish`. Until then invalid weights count as 0; segments without weight, and all
                segments if an offset is invalid, give -1.
            stream: for the rebuild, as for `Sampler.draw`; without `check` only.

        Raises:
            As the constructor does. On the CPU the old tables are kept; after Ctrl-C there are
            none.
        """
        require_no_stream(check, stream)
        library = library_of(weights)
        if library.device(weights) != self._device:
            raise ValueError(f"argument 'weights' must be on {device_name(self._device)}, as the "
                             "sampler is")
        rows = None
        if offsets is None:
            if library is NUMPY and not isinstance(weights, np.ndarray):
                weights = as_numpy(weights)
            library.require_dense(weights, "weights")
            shape: Any = weights.shape
            if len(shape) != 2:
                raise ValueError(f"argument 'weights' has shape {tuple(shape)}; without offsets it "
                                 "must have two dimensions")
            rows = int(shape[0])
            weights = weights.reshape(-1)
        memory = library.weights(weights, check)
        if memory.device != self._device:  # converted on the CPU
            values = self._library.from_numpy(memory.owner.astype("float64"), self._device)
            memory = self._library.weights(values, check)
        if rows is None:
            starts = self._integers(offsets, "offsets", ("int64", "int32", "uint64", "uint32"))
            rows = max(starts.size - 1, 0)
            if starts.size == 0:
                raise ValueError("argument 'offsets' is empty; it must have one more element than "
                                 "there are segments")
            arguments = (starts.address, rows, starts.bytes)
            owners = [memory.owner, starts.owner]
        else:
            arguments = (0, rows, 0)
            owners = [memory.owner]
        items = (memory.address, memory.size, memory.dtype)
        if check or self._device == CPU or not self._has_room(rows, memory.size):
            def rebuild() -> None:
                try:
                    self._core.rebuild(*arguments, *items)
                    self._set(rows, memory)
                except ValueError as error:
                    raise renamed(error, "segments",
                                  "weights" if offsets is None else "offsets") from None
                except KeyboardInterrupt:  # perhaps of tables that are complete
                    self._core = self._new_core()
                    self._segments, self._size, self._weights = 0, 0, None
                    raise

            self._readers.change(rebuild)
            self._checked = not check
        else:
            on = stream_after(library, self._device, stream, *owners)
            self._core.rebuild_on_stream(*arguments, *items, on)
            self._pending = owners
            self._checked = False
            self._set(rows, memory)

    def _set(self, segments: int, weights: Memory) -> None:
        self._segments, self._size = segments, weights.size
        self._weights = weights if self._keep_weights else None

    def finish(self, *, stream: Any = None) -> None:
        """Waits for the last `rebuild` without check, or the replay of a graph that captured it,
        and reports what is invalid. On the CPU it checks at once, and there is nothing to wait for.

        Args:
            stream: that of the rebuild or of the replay; by default the current one.

        Raises:
            ValueError: as the constructor does; the sampler then has no segments until its next
                rebuild. Or there was no such rebuild.
        """
        if self._checked:
            return
        if self._device == CPU:
            raise ValueError("finish: no rebuild without check is pending")
        try:
            self._core.finish(self._library.current_stream(self._device) if stream is None else
                              stream_address(stream))
        finally:
            self._segments, self._size = self._core.sizes()

    def _has_room(self, segments: int, items: int) -> bool:
        most_segments, most_items = self._core.capacity()
        return bool(segments <= most_segments and items <= most_items)

    def draw(self, segments: Any = None, k: int = 1, *, replace: bool = True, local: bool = False,
             payload: Any = None, return_counts: bool = False, seed: Seed = None, offset: int = 0,
             dtype: Any = None) -> Any:
        """Draws `k` items from each of given segments.

        Args:
            segments: their numbers, below 2^31, which may repeat; all segments without. On a GPU a
                number that is not that of a segment gives -1.
            k: number of items from each.
            replace: False draws different items of positive weight, the first one by weight, the
                next one by weight among the rest, and so on; -1 where there are no more. Needs
                `keep_weights`. Smaller k with the same seed give the first ones.
            local: numbers items from 0 in each segment, instead of over all.
            payload: for each item of all segments, a number below 2^31 that is returned instead of
                the item's: a neighbour, for example. int32 is read in place; other integers are
                converted in every call, all of them.
            return_counts: also return the number of items for each segment that are not -1.
            seed: equal seeds give equal samples, on every machine. Without it the draw continues
                the stream of `sampler.seed` at `sampler.offset`.
            offset: position in the stream `seed`: the number of samples to skip, or without
                replacement that of segments.
            dtype: of the result; int64 by default, int32 in JAX unless it has 64 bits.

        Returns:
            An array of shape (number of segments, k), or with `return_counts` a pair of it and an
            array of counts.

        Raises:
            ValueError: on the CPU, a number that is not that of a segment; other sizes.

        >>> sampler = SegmentedSampler([0, 2, 5], [1, 1, 1, 0, 3], keep_weights=True)
        >>> sampler.draw([1, 0], 3, replace=False, local=True, seed=2)
        array([[ 2,  0, -1],
               [ 0,  1, -1]])
        """
        with self._readers.reading():
            self._require_tables("draw")
            return self._draw(segments, k, replace, local, payload, return_counts, seed, offset,
                              dtype)

    def _draw(self, segments: Any, k: int, replace: bool, local: bool, payload: Any,
              return_counts: bool, seed: Seed, offset: int, dtype: Any) -> Any:
        k = integer(k, "k", 1 << 32)
        weights: tuple[Any, ...] = ()
        if not replace:
            if self._weights is None:
                raise ValueError("draw: without replacement the sampler needs its weights; "
                                 "construct it with keep_weights=True")
            weights = (self._weights.address, self._weights.dtype)
        if segments is None:
            segments = NUMPY.finished(self._all_segments(), 0)
        start = self._integers(segments, "segments", ITEM_TYPES)
        names = None if payload is None else self._payload(payload, "payload")
        shape = (start.size, k)
        to = self._new(shape)
        counts = self._new((start.size,)) if return_counts else None
        on = self._library.current_stream(self._device)
        core = self._core.draw if replace else self._core.choose
        arguments = (*weights, start.address, start.size, k, to.address, bool(local),
                     names.address if names else 0, counts.address if counts else 0)
        try:
            self._drawn(start.size * (k if replace else 1), seed, offset,
                        lambda *words: core(*arguments, *words, on))
        except ValueError as error:
            raise renamed(error, "from", "segments") from None
        result = self._result(to, on, dtype)
        return (result, self._result(counts, on, dtype)) if counts else result

    def walk(self, starts: Any, length: int, neighbours: Any, *, seed: Seed = None, offset: int = 0,
             dtype: Any = None) -> Any:
        """Walks on the graph whose vertices are the segments: from vertex v to a neighbour, along
        an edge that is drawn from segment v by weight.

        Args:
            starts: the first vertex of each walk.
            length: number of steps.
            neighbours: for each item, the vertex that the edge leads to, below 2^31, as `payload` of
                `draw`. A walk ends at a vertex without edges, or at a number that is not that of a
                vertex; -1 follows.
            seed, offset, dtype: as for `draw`; a step is a sample.

        Returns:
            An array of shape (number of walks, length + 1), beginning with the starts.

        >>> ring = SegmentedSampler([0, 2, 4, 6], [9, 1, 9, 1, 9, 1])  # mostly to the next vertex
        >>> ring.walk([0, 1], 6, [1, 2, 2, 0, 0, 1], seed=3)
        array([[0, 1, 2, 0, 1, 2, 1],
               [1, 2, 0, 1, 2, 0, 1]])
        """
        with self._readers.reading():
            self._require_tables("walk")
            return self._walk(starts, length, neighbours, seed, offset, dtype)

    def _walk(self, starts: Any, length: int, neighbours: Any, seed: Seed, offset: int,
              dtype: Any) -> Any:
        length = integer(length, "length", 1 << 32)
        start = self._integers(starts, "starts", ITEM_TYPES)
        edges = self._payload(neighbours, "neighbours")
        to = self._new((start.size, length + 1))
        on = self._library.current_stream(self._device)
        self._drawn(start.size * length, seed, offset,
                    lambda *words: self._core.walk(start.address, start.size, length, edges.address,
                                                   to.address, *words, on))
        return self._result(to, on, dtype)

    def _require_tables(self, name: str) -> None:
        if self._device == CPU and self._segments == 0:
            raise ValueError(f"{name}: the sampler has no tables, as its last rebuild was "
                             "interrupted")

    def _all_segments(self) -> Memory:
        memory = NUMPY.new((self._segments,), "int32", CPU, None)
        memory.owner[:] = np.arange(self._segments)
        return memory

    def _integers(self, array: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        """An argument of integers on the sampler's device."""
        library = library_of(array)
        if library is NUMPY and self._device != CPU:
            if self._library.default_dtype() == "int32":  # JAX without 64 bits
                dtypes = ("uint32", "int32")
            array = self._library.from_numpy(NUMPY.integers(array, name, dtypes).owner,
                                             self._device)
            library = self._library
        device = library.device(array, name)
        if device != self._device:
            raise ValueError(f"argument '{name}' is on {device_name(device)}; the sampler is on "
                             f"{device_name(self._device)}")
        memory = library.integers(array, name, dtypes)
        require_vector(memory.owner.shape, name)
        return memory

    def _payload(self, array: Any, name: str) -> Memory:
        memory = self._integers(array, name, ITEM_TYPES)
        if memory.size != self._size:
            raise ValueError(f"argument '{name}' has {memory.size} elements; it must have one for "
                             f"each of the {self._size} items")
        return memory

    def _new(self, shape: tuple[int, ...]) -> Memory:
        return self._library.new(shape, "int32", self._device, None)

    def _result(self, memory: Memory, stream: int, dtype: Any) -> Any:
        name = self._library.default_dtype() if dtype is None else dtype_name(dtype)
        numbers = self._library.finished(memory, stream)
        if self._size <= 1 << 31:
            return self._library.as_numbers(numbers, name, 0)
        # Without the sign of 32 bits, but for -1.
        wide = self._library.as_numbers(numbers, name, self._size)
        return wide - (wide == 0xFFFFFFFF) * (1 << 32) if name == "int64" else wide
