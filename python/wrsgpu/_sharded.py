"""Weighted sampling where each of several processes has a shard of the weights."""

import ctypes
import sys
from collections.abc import Sequence
from typing import Any, Literal, NoReturn, Protocol

import numpy as np

from wrsgpu import _core
from wrsgpu._arguments import MAX_SAMPLES, WORDS, Seed, integer, rounds_of, seed_word
from wrsgpu._libraries import CPU, Memory, NumPy, device_name, gpu, library_of
from wrsgpu._stream import OwnStream



class Group(Protocol):
    """The processes or threads that have shards, as `ShardedSampler` needs them. Both methods are
    called by all ranks, in the same order."""

    @property
    def rank(self) -> int:
        """The number of this rank, from 0."""

    @property
    def size(self) -> int:
        """The number of ranks."""

    def all_gather(self, mine: bytes) -> Sequence[bytes]:
        """Returns the bytes of all ranks, of equal length, in order of ranks."""

    def all_to_all(self, send: Any, send_counts: list[int], receive: Any,
                   receive_counts: list[int]) -> None:
        """Sends the first numbers of `send` to rank 0, the next ones to rank 1, and so on, and
        fills `receive` with the numbers from rank 0, those from rank 1, and so on.

        Args:
            send, receive: int64: NumPy arrays, or for weights on a GPU objects with
                `__cuda_array_interface__`. The exchange must be on the stream that this names, or
                on the current one of the weights' library.
            send_counts, receive_counts: how many numbers are for and from each rank.
        """


class _GpuNumbers:
    """int64 in the memory of a GPU."""

    def __init__(self, address: int, size: int, stream: int) -> None:
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "<i8", "stream": stream,
                                         "data": (address, False), "version": 3}


class _Exchange:
    """A group as the core calls it."""

    def __init__(self, group: Group, device: int) -> None:
        self._group = group
        self._device = device

    def all_gather(self, mine: bytes) -> Sequence[bytes]:
        return self._group.all_gather(mine)

    def exchange(self, send: int, send_counts: list[int], receive: int,
                 receive_counts: list[int], stream: int) -> None:
        self._group.all_to_all(self._numbers(send, sum(send_counts), stream), send_counts,
                               self._numbers(receive, sum(receive_counts), stream),
                               receive_counts)

    def _numbers(self, address: int, size: int, stream: int) -> Any:
        if self._device != CPU:
            return _GpuNumbers(address, size, stream)
        if size == 0:
            return np.empty(0, np.int64)
        return np.ctypeslib.as_array((ctypes.c_int64 * size).from_address(address))


class ShardedSampler(OwnStream):
    """Draws from weights that are spread over the ranks of a group: each rank builds the table of
    its shard, where that is, and the ranks exchange some bytes.

    Items are numbered over all ranks: those of rank 0, then those of rank 1, and so on. Samples
    depend on the seed, the weights and the sizes of the shards alone, on CPUs and GPUs alike.

    Args:
        weights: of this rank, as for `Sampler`; may be empty or all zero, but not on all ranks.
        group: a `torch.distributed` process group, None for torch's default one, or an object with
            the methods of `wrsgpu.Group`. The backend must be able to exchange on the device of the
            weights: NCCL on GPUs.
        seed: of rank 0, for the stream that draws without a seed continue.
        rounds, threads: as for `Sampler`; `rounds` must be the same on all ranks.

    Raises:
        What `Sampler` raises, on all ranks, with the number of the rank in the message: a
        ValueError (a TypeError on its own rank) or MemoryError.

    The constructor, `rebuild` and `draw_scattered` are collective: all ranks call them, in the same
    order, with the same arguments but for the weights.

    >>> class OnlyRank:
    ...     rank, size = 0, 1
    ...     def all_gather(self, mine):
    ...         return [mine]
    ...     def all_to_all(self, send, send_counts, receive, receive_counts):
    ...         receive[:] = send
    >>> sampler = ShardedSampler([1, 2, 3, 4], OnlyRank())
    >>> sorted(set(sampler.draw_scattered(100, seed=7).tolist()))
    [0, 1, 2, 3]
    >>> sampler.shard_histogram(100, seed=7)
    [100]
    """

    def __init__(self, weights: Any, group: Group | Any = None, *, seed: Seed = None,
                 rounds: Literal[7, 10] = 10, threads: int = 0) -> None:
        self._library: NumPy = library_of(weights)
        self._device = self._library.device(weights)
        self._group: Group = _group_of(group, self._device)
        self._rank = integer(self._group.rank, "group.rank")
        self._ranks = integer(self._group.size, "group.size")
        ranks = (_Exchange(self._group, self._device), self._rank, self._ranks)
        # The core tells the other ranks, which wait in `rebuild`, of what is invalid on this one.
        def options() -> tuple[int, int]:
            return rounds_of(rounds), integer(threads, "threads", 1 << 32)

        try:
            chosen = options()
        except (TypeError, ValueError):
            chosen = (10, 0)
        self._core: Any = (_core.HostSharded(*ranks, *chosen) if self._device == CPU else
                           gpu.GpuSharded(self._device, *ranks, chosen[0]))
        self._or_all_fail(options)
        word = self._or_all_fail(lambda: seed_word(self._library.default_seed(seed)))
        self.rebuild(weights)
        self._begin_stream(
            int.from_bytes(self._group.all_gather(word.to_bytes(8, "little"))[0], "little"))

    def __len__(self) -> int:
        """The number of items of all ranks."""
        return int(self._core.size())

    def __repr__(self) -> str:
        return (f"<wrsgpu.ShardedSampler of {len(self)} items, rank {self._rank} of {self._ranks} "
                f"on {device_name(self._device)}, seed {self.seed}>")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ShardedSampler can be neither pickled nor copied; build it where it is "
                        "used")

    @property
    def first_item(self) -> int:
        """The number of the first item of this rank."""
        return int(self._core.first_item())

    @property
    def shard_size(self) -> int:
        """The number of items of this rank."""
        return int(self._core.shard_size())

    @property
    def shard_masses(self) -> list[int]:
        """The shards' integer masses: a sample is of shard s with probability
        shard_masses[s] / sum(shard_masses)."""
        return [self._core.shard_mass(rank) for rank in range(self._ranks)]

    def rebuild(self, weights: Any) -> None:
        """Replaces the weights of all ranks, whose numbers may differ. Collective.

        Raises:
            As the constructor does. No rank has a table then until the next rebuild.
        """
        memory = self._or_all_fail(lambda: self._weights(weights), of_rebuild=True)
        self._core.rebuild(memory.address, memory.size, memory.dtype, memory.device != CPU)

    def draw_local(self, size: int, *, seed: Seed = None, offset: int = 0) -> Any:
        """Draws independent samples, of which each rank gets those in its shard: together the
        ranks get `size` samples of all weights. Not collective.

        Args:
            size: how many, over all ranks.
            seed, offset: as for `Sampler.draw`, the same on all ranks.

        Returns:
            The samples of this rank, as int64.
        """
        samples = integer(size, "size")
        words = self._words(samples, seed, offset)
        count = self._core.count_local(samples, *words)
        on, to = self._new(count)
        self._core.draw_local(to.address, count, samples, *words, on)
        return self._library.finished(to, on)

    def histogram(self, samples: int, *, seed: Seed = None, offset: int = 0) -> Any:
        """Counts the samples that `draw_local` gives for the same arguments, without storing them.

        Returns:
            The number of samples of each item of this rank, as int64.
        """
        count = integer(samples, "samples")
        words = self._words(count, seed, offset)
        on, to = self._new(self.shard_size)
        self._core.histogram(to.address, to.size, count, *words, on)
        return self._library.finished(to, on)

    def shard_histogram(self, samples: int, *, seed: Seed = None, offset: int = 0) -> list[int]:
        """The number of samples of each shard that `draw_local` gives for the same arguments, the
        same on all ranks; without communication.
        """
        count = integer(samples, "samples")
        counts = np.empty(self._ranks, np.uint64)
        self._core.shard_histogram(counts.ctypes.data, count, *self._words(count, seed, offset))
        return [int(number) for number in counts]

    def draw_scattered(self, size: int, *, seed: Seed = None, offset: int = 0) -> Any:
        """Draws independent samples of all weights on each rank, in random order. Collective: the
        ranks draw from their shards and exchange samples.

        Args:
            size: how many on each rank, the same on all.
            seed: as for `Sampler.draw`, the same on all ranks.
            offset: the number of words of the stream `seed` to skip; the draw uses size words for
                each rank.

        Returns:
            The samples, as int64.

        Raises:
            ValueError: on all ranks, if sizes, seeds or offsets differ.
            MemoryError: on all ranks, if memory of one does not suffice.
        """
        samples = self._or_all_fail(lambda: integer(size, "size", MAX_SAMPLES))
        words = self._or_all_fail(lambda: self._words(0, seed, offset))
        on, to = self._or_all_fail(lambda: self._new(samples))
        self._core.draw_scattered(to.address, samples, *words, on)
        if seed is None:  # the same on all ranks: none has failed
            self.offset = (words[1] + samples * self._ranks) % WORDS
        return self._library.finished(to, on)

    def _weights(self, weights: Any) -> Memory:
        memory = library_of(weights).weights(weights, True)
        if memory.device not in (CPU, self._device):
            raise ValueError(f"argument 'weights' is on {device_name(memory.device)}; the sampler "
                             f"is on {device_name(self._device)}")
        return memory

    def _or_all_fail(self, call: Any, of_rebuild: bool = False) -> Any:
        """What `call` returns. If it raises, all ranks do, instead of the collective call that
        would follow: a rebuild, or another."""
        try:
            return call()
        except Exception as error:
            try:
                self._core.fail(str(error), isinstance(error, MemoryError), of_rebuild)
            except (ValueError, MemoryError) as of_all:
                if type(of_all) is type(error):
                    raise
            raise

    def _new(self, size: int) -> tuple[int, Memory]:
        """The current stream, and new int64 to be written there."""
        return (self._library.current_stream(self._device),
                self._library.new((size,), "int64", self._device, None))


def _group_of(group: Any, device: int) -> Group:
    if group is not None and type(group).__module__.split(".")[0] != "torch":
        required = ("rank", "size", "all_gather", "all_to_all")
        missing = [name for name in required if not hasattr(group, name)]
        if missing:
            raise TypeError(f"argument 'group' is of type {type(group).__name__}, without "
                            f"{', '.join(missing)}; see wrsgpu.Group")
        return group  # type: ignore[no-any-return]
    if "torch" not in sys.modules:
        raise TypeError("argument 'group' is None, which stands for torch's default process group; "
                        "but torch is not imported")
    from wrsgpu.torch import ProcessGroupRanks  # noqa: PLC0415: torch is there
    return ProcessGroupRanks(group, device)
