"""Weighted sampling with replacement."""

import os
import re
import threading
from collections.abc import Callable
from typing import Any, Literal, NoReturn

import numpy as np

from wrsgpu import _core
from wrsgpu._arguments import (Seed, Size, integer, path_of, renamed, require_below, require_no_stream,
                               rounds_of, seed_word, truth_of)
from wrsgpu._choose import choose, shortened, target_of_choice
from wrsgpu._libraries import (BYTES, CPU, Jax, Memory, NumPy, as_numpy, device_name, differs, gpu,
                               library_like, library_of, require_vector, stream_address)
from wrsgpu._stream import OwnStream
from wrsgpu._work import (COUNT_TYPES, checked_state, complete, drawn, drawn_by_state,
                          refuse_capture, require_no_capture, state_on_gpu, stream_after, target,
                          use_state)

_forks = 0  # between the first process and this one


def _count_fork() -> None:
    global _forks  # noqa: PLW0603
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


class Sampler(OwnStream):
    """Draws item i with probability weights[i] / sum(weights), with replacement.

    Args:
        weights: one per item, not necessarily normalised: a one-dimensional array of NumPy,
            PyTorch, CuPy or JAX, or a sequence, of 1 to 2^32 - 2 numbers. The sampler draws where
            they are, on the CPU or on a GPU, and returns arrays of their library. float32 and
            float64 are read in place; other types are converted: integers and bool to float64,
            which must represent them exactly, and smaller floats to float32. They need not outlive
            the call. Gradients are ignored.
        seed: seed of the stream that draws without a seed of their own continue: an integer
            below 2^64, or what gives one: a NumPy `Generator` or `SeedSequence`, a
            `torch.Generator`, a key of `jax.random`. By default it comes from torch's generator
            (`torch.manual_seed`) for tensors, and from the system's entropy for other arrays; the
            attribute `seed` says which it is.
        order: "random", or "any", with which a GPU groups many samples by item, to be faster.
        rounds: 10, or 7: rounds of the generator Philox4x32. 7 gives other samples, faster.
        threads: host threads, 0 for all; no result depends on it.
        keep_weights: keeps a copy of the weights, for `update` and `choose`.

    Raises:
        ValueError: no, too many, negative, infinite or NaN weights (the message gives the first),
            only zeros, a sum that overflows, or an integer that a double does not represent.
        TypeError: weights that are not real numbers in dense memory.
        MemoryError: the table, 8 bytes per item, and on a GPU 6.3 more while it is built, do not fit
            in memory. The first `rebuild` or `update` takes these again and keeps them.
        RuntimeError: a GPU fails, or this build has no CUDA.

    Building on a GPU waits for it; draws do not. A sampler can be used from several threads at a
    time; one on the CPU also in forked processes, such as the workers of a `DataLoader`. There
    draws without a seed all continue the stream at the same place, and are the same: set the
    attribute `seed` in each, for example to `torch.initial_seed()` in `worker_init_fn`.

    >>> sampler = Sampler([1, 2, 3, 4], seed=7)
    >>> sampler.draw(5)
    array([3, 3, 2, 0, 1])
    >>> sampler.draw((2, 3))  # continues
    array([[3, 2, 3],
           [0, 0, 3]])
    >>> sampler.draw(11, seed=7)[5:]
    array([3, 2, 3, 0, 0, 3])
    """

    def __init__(self, weights: Any, *, seed: Seed = None,
                 order: Literal["random", "any"] = "random", rounds: Literal[7, 10] = 10,
                 threads: int = 0, keep_weights: bool = False) -> None:
        library = library_of(weights)
        memory = library.weights(weights, True)
        self._prepare(library, library.device(weights), seed, order, rounds, threads, keep_weights)
        self._build(memory)

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
        path = path_of(file)
        with open(path, "rb"):  # raises what Python raises for other files
            pass
        sampler = cls.__new__(cls)
        library = library_like(like)
        sampler._prepare(library, library.device(like, "like"), seed, order, rounds, threads)
        sampler._core.load(path, *sampler._options)
        sampler._size = sampler._core.size()
        return sampler

    def _prepare(self, library: NumPy, device: int, seed: Seed, order: str, rounds: int,
                 threads: int, keep_weights: bool = False) -> None:
        if not isinstance(order, str) or order not in ("random", "any"):
            raise ValueError(f"argument 'order' is {order!r}; it must be 'random' or 'any'")
        self._library = library
        self._device = device
        self._options = (order == "any", rounds_of(rounds), integer(threads, "threads", 1 << 32))
        self._keep_weights = truth_of(keep_weights, "keep_weights")
        self._kept_dtype = ""  # of the weights that are kept
        self._core: Any = self._new_core()
        self._exported = False  # whether others see the table's memory, which the core owns
        self._forks = _forks
        self._size = 0
        self._probabilities: Any = None
        # Of calls that read the table more than once, and of those that change it. Its `with`, unlike
        # that of what is written in Python, is not interrupted by Ctrl-C half-way.
        self._table_lock = threading.RLock()
        self._pending: Any = None  # weights that a rebuild on a stream may still be reading
        self._checked = False  # whether the last rebuild or update without check checked at once
        self._begin_stream(seed_word(library.default_seed(seed)))

    def _new_core(self) -> Any:
        if self._device == CPU:
            return _core.HostSampler(*self._options, self._keep_weights)
        return gpu.GpuSampler(self._device, *self._options, self._keep_weights)

    def __len__(self) -> int:
        """The number of items."""
        return self._size

    def __repr__(self) -> str:
        return (f"<wrsgpu.Sampler of {self._size} items on {device_name(self._device)}, "
                f"seed {self.seed}>")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Sampler can be neither pickled nor copied; save it to a file and load "
                        "that, or build it where it is used")

    def draw(self, size: Size | None = None, *, seed: Seed = None, offset: int = 0,
             state: Any = None, out: Any = None, dtype: Any = None, stream: Any = None,
             return_probabilities: bool = False) -> Any:
        """Draws independent samples: item numbers, from 0.

        Args:
            size: how many, or the shape of the result. Can be left out if `out` is given.
            seed: as for the constructor: equal seeds give equal samples. Without it the draw
                continues the stream of `sampler.seed` at `sampler.offset`.
            offset: the number of samples of the stream `seed` to skip: `draw(5, seed=7, offset=3)`
                is `draw(8, seed=7)[3:]`.
            state: instead of a seed: an array that `random_state` made, on the sampler's device.
                The draw reads it when it runs, and advances it. In a CUDA graph this, or a
                `torch.Generator` as seed, lets every replay draw new samples.
            out: a contiguous array of int32, int64, uint32 or uint64 on the sampler's device,
                which is written and returned. Not where the `state` is.
            dtype: of the result, if there is no `out`; int64 by default, int32 in JAX unless it
                is configured for 64 bits. On a GPU int32 is faster. With order "any" samples of 64
                bits are in random order, as are those with a `state`.
            stream: on a GPU, the stream of the work: an integer, or an object with
                `__cuda_stream__`. By default the library's current stream. JAX has none: there
                the draw waits until it is done.
            return_probabilities: also return the probability of each sample in the table, as
                float32, on the current stream.

        Returns:
            The samples, or a pair of samples and probabilities.

        Raises:
            ValueError: a negative size, an `out` of another shape, or a `dtype` that does not
                hold all item numbers.
            TypeError: an `out` or `dtype` that is not of these types.
            MemoryError: the result does not fit in memory.
            RuntimeError: a draw without seed and state while the stream is captured in a graph,
                whose replays would all draw the same.

        >>> sampler = Sampler([1, 0, 3])
        >>> sampler.draw(4, seed=7, return_probabilities=True)
        (array([2, 2, 0, 0]), array([0.75, 0.75, 0.25, 0.25], dtype=float32))
        """
        if not return_probabilities:
            return self._draw(size, seed, offset, state, out, dtype, stream)[0]
        with self._table_lock:
            samples, library, to, on = self._draw(size, seed, offset, state, out, dtype, stream)
            if self._device != CPU and on != (current := library.current_stream(self._device)):
                gpu.order_streams(on, current, self._device)
            return samples, self._probabilities_of(samples, to)

    def _draw(self, size: Size | None, seed: Seed, offset: int, state: Any, out: Any, dtype: Any,
              stream: Any) -> tuple[Any, NumPy, Memory, int]:
        """The samples, and what `target` gives."""
        self._check_process()
        library, to, on = target(self._library, self._device, size, out, dtype, stream)
        if self._size > 1 << 31:
            require_below(self._size, to.dtype)
        if self._device == CPU:
            self._drawn_on_cpu(to, to.size, seed, offset, state, lambda *words: self._core.draw(
                to.address, to.size, to.bytes, *words))
        elif (seed is not None or state is not None) and (
                in_memory := state_on_gpu(self._library, to, seed, offset, state, on)) is not None:
            self._core.draw_and_advance(to.address, to.size, to.bytes, in_memory.address, on)
        else:
            if seed is None and gpu.is_capturing(on):
                refuse_capture()
            _, address, count, name, _ = to
            self._core.draw(address, count, BYTES[name], *self._words(count, seed, offset), on)
        return library.finished(to, on) if out is None else out, library, to, on

    def choose(self, size: Size | None = None, *, seed: Seed = None, offset: int = 0,
               state: Any = None, out: Any = None, dtype: Any = None, stream: Any = None,
               allow_fewer: bool = False, check: bool = True) -> Any:
        """Chooses different items by the kept weights, as `choice(weights, size, replace=False)`
        does for the same seed, in the order in which they are drawn. Needs `keep_weights`.

        Args:
            size: how many, or the shape of the result; 0 gives an empty array. Can be left out if
                `out` is given.
            seed, offset: as for `draw`, but the words used are as many as there are items.
            state: as for `draw`; advanced by the number of items.
            out, dtype, stream: as for `draw`.
            allow_fewer: if fewer items have a positive weight, returns them all: an array of that
                many, in an `out` its first elements. Sizes are then numbers.
            check: on a GPU, False does not wait for the outcome, and can be captured in a graph, if
                there is a `state`. Elements for which there is no item become -1 (in unsigned types
                the largest number): the last ones with `allow_fewer`, else all of them.

        Raises:
            ValueError: more than there are items; with `check`, more than have a positive weight,
                unless allowed; or no weights are kept.
            RuntimeError: with `check`, while the stream is captured in a graph, and as for `draw`.

        >>> sampler = Sampler([1, 0, 3, 2], keep_weights=True)
        >>> sampler.choose(3, seed=7)
        array([2, 3, 0])
        """
        self._check_process()
        if not self._kept_dtype:
            raise ValueError("choose: the sampler keeps no weights; construct it with "
                             "keep_weights=True")
        allow_fewer = truth_of(allow_fewer, "allow_fewer")
        library, to, on = target_of_choice(self._library, self._device, self._size, size, out, dtype,
                                           stream, allow_fewer)
        if check:
            require_no_capture(self._device, on)
        array = (to.address, to.size, to.bytes, allow_fewer)

        def choose_items(*numbers: int) -> Any:
            if to.size == 0:
                return 0
            if self._device == CPU:
                return self._core.choose(*array, *numbers)
            chosen = self._core.choose(*array, bool(check), *numbers, on)
            complete(check, self._device, stream, on)
            return chosen

        used = self._size if to.size > 0 else 0
        try:
            found = drawn(self._library, to, used, seed, offset, state, on, self._drawn,
                          choose_items)
        except ValueError as error:
            raise _about_size(error, "argument 'weights'", size) from None
        items = library.finished(to, on) if out is None else out
        return shortened(items, to.size, found) if check or self._device == CPU else items

    def draw_distinct(self, size: Size | None = None, *, seed: Seed = None, offset: int = 0,
                      state: Any = None, out: Any = None, dtype: Any = None, stream: Any = None,
                      check: bool = True) -> Any:
        """Draws different items by the table alone, without weights: those of `draw` without the
        ones that came before. For few items, on a GPU at most 4096. The law is that of `choose`,
        but the items of a seed differ.

        Args:
            size: how many, or the shape of the result. Can be left out if `out` is given.
            seed, offset: as for `draw`; without a seed it continues the sampler's own stream by as
                many words as it uses.
            state: as for `draw`; advanced by as many.
            out, dtype, stream: as for `draw`.
            check: on a GPU, False does not wait for the outcome, and can be captured in a graph;
                needs a `state` or `seed`. If the draws do not suffice, all elements become -1.

        Raises:
            ValueError: more than there are items, or, with `check`, so many draws give the same
                items that 1024 for each and a million more do not suffice.
            RuntimeError: as for `choose`.

        >>> Sampler([1, 0, 3, 2]).draw_distinct(3, seed=7)
        array([3, 0, 2])
        """
        self._check_process()
        device = self._device
        library, to, on = target_of_choice(self._library, device, self._size, size, out, dtype,
                                           stream)
        if check:
            require_no_capture(device, on)
        elif seed is None and state is None and device != CPU:
            raise TypeError("argument 'check' is False, which needs a 'state' or 'seed': how many "
                            "words of the sampler's own stream are used is known on the GPU alone")
        array = (to.address, to.size, to.bytes)
        try:
            if to.size == 0:
                drawn(self._library, to, 0, seed, offset, state, on, self._drawn, lambda *_: None)
            elif device == CPU and state is not None:
                use_state(checked_state(to, seed, offset, state),
                          lambda *words: int(self._core.draw_distinct(*array, *words)))
            elif device == CPU:
                self._use_words(lambda *words: self._core.draw_distinct(*array, *words), seed,
                                offset)
            elif (in_memory := state_on_gpu(self._library, to, seed, offset, state,
                                            on)) is not None:
                self._core.draw_distinct(*array, bool(check), 0, 0, in_memory.address, on)
            else:
                self._use_words(lambda *words: self._core.draw_distinct(*array, bool(check), *words,
                                                                        0, on), seed, offset)
        except ValueError as error:
            raise _about_size(error, "draw_distinct", size) from None
        complete(check, device, stream, on)
        return library.finished(to, on) if out is None else out

    def histogram(self, samples: int, *, seed: Seed = None, offset: int = 0, state: Any = None,
                  out: Any = None, stream: Any = None) -> Any:
        """Counts the samples that `draw` gives for the same arguments, without storing them.

        Args:
            samples: how many to draw, below 2^64, one by one: `multinomial_counts` takes no longer
                for more.
            seed, offset, state, stream: as for `draw`. With order "any" the counts are those of
                samples of 32 bits.
            out: a contiguous array of int64 or uint64, one element for each item, which is
                written and returned.

        Returns:
            The number of samples of each item, as int64, for which JAX must be configured for 64
            bits.

        >>> Sampler([1, 2, 3, 4]).histogram(1_000_000, seed=7)
        array([ 99953, 200797, 299816, 399434])
        """
        count = integer(samples, "samples")
        self._check_process()
        with self._table_lock:
            library, to, on = target(self._library, self._device, (self._size,), out,
                                     "int64" if out is None else None, stream, COUNT_TYPES)
            if self._device == CPU:
                self._drawn_on_cpu(
                    to, count, seed, offset, state, lambda *words: self._core.histogram(
                        to.address, to.size, count, *words))
            elif (in_memory := state_on_gpu(self._library, to, seed, offset, state,
                                            on)) is not None:
                self._core.histogram_and_advance(to.address, to.size, count, in_memory.address, on)
            else:
                if seed is None and gpu.is_capturing(on):
                    refuse_capture()
                self._core.histogram(to.address, to.size, count, *self._words(count, seed, offset),
                                     on)
            return library.finished(to, on) if out is None else out

    def probabilities(self) -> Any:
        """The probability of each item in the table, as float32.

        They differ from weights[i] / sum(weights) by the rounding of weights to multiples of 2^-32
        of their mean, and that to float32. An item whose weight is rounded to zero is never drawn.
        The first call after a rebuild computes them, and waits for the GPU.

        Returns:
            An array that the sampler keeps until its next rebuild; do not change it.

        >>> Sampler([1, 2, 5]).probabilities()
        array([0.125, 0.25 , 0.625], dtype=float32)
        """
        with self._table_lock:
            return self._known_probabilities()

    def _known_probabilities(self) -> Any:
        """Those of a table that does not change meanwhile."""
        probabilities = self._probabilities
        if probabilities is None:
            self._check_process()
            library = self._library
            on = library.current_stream(self._device)
            to = library.new((self._size,), "float32", self._device, None)
            if self._device == CPU:
                self._core.probabilities(to.address, to.size)
            else:
                self._core.probabilities(to.address, to.size, on)
                gpu.synchronise(on, self._device)  # later calls may be on other streams
            probabilities = library.finished(to, on)
            if isinstance(probabilities, np.ndarray):
                probabilities.flags.writeable = False
            self._probabilities = probabilities
        return probabilities

    def _probabilities_of(self, samples: Any, drawn: Memory) -> Any:
        """Those of samples: of few ones on a GPU by the kept weights, without a pass over all."""
        few = max(256, self._size // 512)  # each reads 2,048 weights, a pass a few words an item
        library = self._library
        if (self._device == CPU or not self._kept_dtype or drawn.size > few
                or self._probabilities is not None):
            return library.take(self._known_probabilities(), samples)
        on = library.current_stream(self._device)
        to = library.new(samples.shape, "float32", self._device, None)
        self._core.probabilities_of(drawn.address, drawn.size, drawn.bytes, to.address, on)
        return library.finished(to, on)

    def rebuild(self, weights: Any, *, check: bool = True, stream: Any = None) -> None:
        """Replaces the weights, whose number may differ; seed and offset go on.

        Args:
            weights: as for the constructor, on the sampler's device or, to be copied there, on
                the CPU.
            check: on a GPU, False leaves checks to `finish`: the rebuild takes place on the
                stream, without waiting, and can be captured in a graph, if there were never fewer
                weights and their type needs no conversion. The weights must not change before
                `finish`. Until then all items of invalid weights are equally likely.
            stream: as for `draw`; without `check` only.

        Raises:
            As the constructor does. After a ValueError or TypeError the old table is kept.

        >>> sampler = Sampler([1, 1])
        >>> sampler.rebuild([0, 0, 1])
        >>> sampler.draw(3)
        array([2, 2, 2])
        """
        self._check_process()
        require_no_stream(check, stream)
        library = library_of(weights)
        memory = library.weights(weights, check)
        if memory.device not in (CPU, self._device):
            raise ValueError(f"argument 'weights' is on {device_name(memory.device)}; the sampler "
                             f"is on {device_name(self._device)}")
        with self._table_lock:
            self._replace(memory, library, check, stream)

    def _replace(self, memory: Memory, library: NumPy, check: bool, stream: Any) -> None:
        if not self._exported or memory.size == self._size:
            self._rebuild(memory, library, check, stream)
            return
        exported = self._core
        self._core = self._new_core()  # the table would move
        try:
            self._rebuild(memory, library, check, stream)
        except BaseException:
            self._core = exported
            self._size = exported.size()
            raise
        self._exported = False

    def _rebuild(self, memory: Memory, library: NumPy, check: bool, stream: Any) -> None:
        if check or memory.device == CPU or memory.size > self._core.capacity():
            self._build(memory)
            self._checked = not check
            return
        on = stream_after(library, self._device, stream, memory.owner)
        self._core.rebuild_on_stream(memory.address, memory.size, memory.dtype, on)
        self._probabilities = None
        self._size = memory.size
        self._pending = memory.owner
        self._checked = False

    def update(self, indices: Any, values: Any, *, check: bool = True, stream: Any = None) -> None:
        """Changes single weights, and rebuilds the table. Needs `keep_weights`.

        Args:
            indices: items, in any order, as int32 or uint32; other integers are converted (on a
                GPU, what exceeds 32 bits or is negative to 2^32 - 1, which is no item's). The last
                one of equal ones counts. On the sampler's device, as `values`.
            values: their new weights, as many, of the type of the kept ones (float32 or float64).
                Others in arrays of NumPy must be numbers of that type; those in sequences are
                rounded to it, but for integers.
            check: on a GPU, False leaves checks to `finish`: the update takes place on the stream,
                without waiting, and can be captured in a graph. Indices and values must not change
                before `finish`. An invalid one changes no weight.
            stream: as for `draw`.

        Raises:
            ValueError: an index out of range or an invalid value (the message gives the first),
                values of another type, values with which all weights are zero or their sum
                overflows, or no weights are kept. Then nothing is changed; but on a GPU, weights
                that are all zero or whose sum overflows leave the sampler without a table until its
                next `update` or `rebuild`.

        >>> sampler = Sampler([1, 2, 3], keep_weights=True)
        >>> sampler.update([2, 0], [0, 2])
        >>> sampler.probabilities()
        array([0.5, 0.5, 0. ], dtype=float32)
        """
        self._check_process()
        if not self._kept_dtype:
            raise ValueError("update: the sampler keeps no weights; construct it with "
                             "keep_weights=True")
        library = library_of(values)
        try:
            memory = library.weights(values, check)
        except (TypeError, ValueError) as error:
            raise renamed(error, "weights", "values") from None
        if type(library) is NumPy and memory.dtype != self._kept_dtype:
            memory = library.weights(self._as_kept(values, memory.owner), check)
        types = ("uint32", "int32") if self._device == CPU else ("int32", "uint32")
        items = library_of(indices).integers(indices, "indices", types)  # the bits are the same
        require_vector(items.owner.shape, "indices")
        device = library.device(values, "values")
        for name, place in (("indices", items.device), ("values", device)):
            if place != self._device:
                raise ValueError(f"argument '{name}' is on {device_name(place)}; the sampler is on "
                                 f"{device_name(self._device)}")
        # Some libraries' integers are converted on the CPU.
        if memory.dtype != self._kept_dtype or memory.device != device:
            raise ValueError(f"argument 'values' has dtype {values.dtype}; the kept weights have "
                             f"{self._kept_dtype}")
        if memory.size != items.size:
            raise ValueError(f"argument 'values' has {memory.size} elements; there are "
                             f"{items.size} indices")
        arguments = (items.address, memory.address, memory.size, memory.dtype)
        if self._device == CPU:
            with self._table_lock:
                try:
                    self._core.update(*arguments)
                    self._checked = not check
                finally:
                    self._probabilities = None
            return
        with self._table_lock:
            on = stream_after(self._library, self._device, stream, items.owner, memory.owner)
            self._core.update(*arguments, on)
            self._probabilities = None
            self._pending = (items.owner, memory.owner)
            self._checked = False
        if check:
            self.finish(stream=on)

    def _as_kept(self, given: Any, numbers: Any) -> Any:
        """Values of an update in the type of the kept weights."""
        with np.errstate(over="ignore"):
            values = numbers.astype(self._kept_dtype)
        changed = differs(values, numbers)
        if not hasattr(given, "dtype") and as_numpy(given).dtype.kind == "f":
            # Rounded, unless they are out of range.
            changed &= np.isinf(values) | (values == 0)
        if np.any(changed):
            place = int(np.argmax(changed))
            raise ValueError(f"argument 'values': element {place} is {numbers[place]}, which "
                             f"{self._kept_dtype}, the type of the kept weights, does not represent")
        return values

    def finish(self, *, stream: Any = None) -> None:
        """Waits for the last `rebuild` or `update` without check, or the replay of a graph that
        captured it, and reports what is invalid. On the CPU these check at once, and there is nothing
        to wait for.

        Args:
            stream: that of the rebuild, update or replay; by default the current one.

        Raises:
            ValueError: the weights were invalid; the sampler then has no table until its next
                rebuild. An update was invalid, and changed nothing. Or there was neither.
        """
        self._check_process()
        if self._device == CPU:
            if self._checked:
                return
            raise ValueError("finish: no rebuild or update without check is pending")
        on = (self._library.current_stream(self._device) if stream is None else
              stream_address(stream))
        try:
            # Also after one that checked at once: a graph may have run since.
            self._core.finish(on, self._checked)
        finally:
            self._size = self._core.size()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the table to a file, which is complete or absent; C++ can load it, too.

        Raises:
            OSError: the file cannot be written.
        """
        self._check_process()
        path = path_of(file)
        try:
            self._core.save(path)
        except ValueError as error:
            raise OSError(f"cannot save the table: {error}") from None

    def _build(self, memory: Memory) -> None:
        arguments = (memory.address, memory.size, memory.dtype)
        try:
            if self._device == CPU:
                self._core.rebuild(*arguments)
            else:
                self._core.rebuild(*arguments, memory.device != CPU)
            if self._keep_weights:
                self._kept_dtype = "float32" if memory.dtype == "float32" else "float64"
        finally:
            self._size = self._core.size()
            self._probabilities = None
            self._pending = None

    def _drawn_on_cpu(self, to: Memory, count: int, seed: Seed, offset: int, state: Any,
                      draw: Callable[..., Any]) -> None:
        """Calls `draw(seed, offset)`, which writes to `to`; advances the sampler's own stream, or a
        state."""
        if state is None:
            self._drawn(count, seed, offset, draw)
        else:
            drawn_by_state(checked_state(to, seed, offset, state), count, draw)

    def _check_process(self) -> None:
        if self._forks != _forks and self._device != CPU:
            raise RuntimeError("a sampler on a GPU cannot be used in a forked process, as nothing "
                               "of CUDA can; start processes with 'spawn', and build it there")


def _about_size(error: Exception, subject: str, size: Any) -> Exception:
    """An error of C++ that is about `subject`, with the argument that says how many to draw."""
    name = "out" if size is None else "size"
    return type(error)(re.sub(rf"^{subject}: (?=\d)", f"argument '{name}': ", str(error)))


def random_state(seed: Seed = None, *, like: Any = None) -> Any:
    """Makes a random state in memory, for draws that read and advance it: two 64-bit words, the
    seed and the number of words of its stream that have been used.

    Args:
        seed: as for `Sampler`.
        like: an array whose library and device the state has; NumPy without. JAX has no arrays
            that can be written.

    Returns:
        An array of two elements: uint64, in torch int64 with the same bits.

    >>> sampler, state = Sampler([1, 2, 3, 4]), random_state(7)
    >>> sampler.draw(3, state=state), sampler.draw(2, state=state)
    (array([3, 3, 2]), array([0, 1]))
    >>> state
    array([7, 5], dtype=uint64)
    """
    library = library_like(like)
    if isinstance(library, Jax):
        raise TypeError("arrays of JAX cannot be written, as a random state is; pass seeds, for "
                        "example keys of jax.random")
    words = np.array([seed_word(library.default_seed(seed)), 0], np.uint64)
    return library.from_numpy(words, library.device(like, "like"))


def choice(weights: Any, size: Size | None = None, replace: bool = True, *, seed: Seed = None,
           state: Any = None, out: Any = None, dtype: Any = None, stream: Any = None,
           allow_fewer: bool = False, check: bool = True) -> Any:
    """Draws items of given weights in one call, as `numpy.random.Generator.choice` does with `p`.

    With replacement, every call builds a table, in time proportional to the number of items: a
    `Sampler` that is kept is faster for several draws.

    Args:
        weights: as for `Sampler`, of any library; they need not add up to 1.
        size: number of samples, or shape of the result; without it and `out` the result is one
            number. 0 gives an empty array, as in NumPy.
        replace: False draws different items: the first one by weight, the next one by weight
            among the rest, and so on, in this order. Fewer samples with the same seed are the
            first ones of more. For equal weights see `sample_without_replacement`.
        seed: as for `Sampler`.
        state, out, dtype, stream: as for `Sampler.draw`, and without replacement as for
            `Sampler.choose`.
        allow_fewer: without replacement, if fewer items than `size`, a number, have a positive
            weight: returns them all. Ignored with replacement.
        check: without replacement, on a GPU, False does not wait for the outcome, and can be captured
            in a graph, if there is a `state` and weights are of float32 or float64. They must not
            change before the work has run. If one is invalid, or too few are positive, all elements
            become -1 (in unsigned types the largest number); with `allow_fewer` those for which
            there is no item.

    Raises:
        As `Sampler` and its `draw` do; with `check` invalid weights are an error for a size of 0,
            too.
        ValueError: without replacement, more samples than there are weights or, with `check`,
            positive ones, unless allowed. A sum of weights that overflows is an error with
            replacement only.
        TypeError: without `check`, with replacement, or for one number, for which the call waits.
        RuntimeError: with `check`, while the stream is captured in a graph.

    >>> choice([0.5, 0.25, 0.25], 4, seed=1)
    array([2, 2, 0, 2])
    >>> choice([0.5, 0.25, 0.25], 3, replace=False, seed=1)
    array([2, 0, 1])
    """
    is_one = size is None and out is None
    if not check and (replace or is_one):
        raise TypeError("argument 'check' is False; the call waits for " +
                        ("its number" if is_one else "its table") +
                        (": pass 'size' or 'out'" if is_one else ": pass replace=False"))
    shape = () if is_one else size
    if replace:
        if state is not None and seed is not None:
            raise TypeError("a draw takes 'state', or 'seed' and 'offset', not both")
        # With a state, any seed: none is taken from torch's generator.
        sampler = Sampler(weights, seed=seed if state is None else 0)
        samples = sampler.draw(shape, state=state, out=out, dtype=dtype, stream=stream)
    else:
        samples = choose(weights, shape, seed, state=state, out=out, dtype=dtype, stream=stream,
                         allow_fewer=allow_fewer, check=check)
    return int(samples) if is_one else samples
