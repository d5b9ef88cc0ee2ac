"""For PyTorch, with torch's arguments: `multinomial`, and a sampler for data loaders; and `draw`, an
operator for `torch.compile`."""

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

import wrsgpu
from wrsgpu import _core
from wrsgpu._arguments import MAX_SAMPLES, WORDS, Seed, count_of, integer, renamed, seed_word
from wrsgpu._choose import choose, draw_from_rows
from wrsgpu._libraries import CPU, differs, gpu, library_of, require_real, tensor_address
from wrsgpu._sampler import Sampler

__all__ = ["WeightedRandomSampler", "draw", "multinomial", "table"]


def multinomial(input: torch.Tensor, num_samples: int, replacement: bool = False, *,
                generator: torch.Generator | None = None,
                out: torch.Tensor | None = None) -> torch.Tensor:
    """`torch.multinomial` with the same arguments, without its limit of 2^24 categories, and with
    exact probabilities of categories that are rare.

    Every call prepares the weights anew, and waits for the GPU to check them. For several draws
    from the same weights, and in CUDA graphs, use `wrsgpu.Sampler`. Of one row and without
    replacement a call can be captured in a graph, which cannot check: samples are -1 then if weights
    are invalid or too few are positive.

    Args:
        input: weights of the categories, one row, or a matrix with one distribution per row; not
            necessarily normalised. Any type of real numbers; integers of 64 bits become float64,
            which must represent them exactly on the CPU, and to which a GPU rounds them.
        num_samples: number of samples from each row, at least 1.
        replacement: False, torch's default, draws different categories.
        generator: of the input's kind of device; by default torch's, which `torch.manual_seed`
            seeds. A call takes one seed from it, so that the samples differ from torch's.
        out: a contiguous tensor of int64 to write to. After an error it is undefined.

    Returns:
        The samples, as int64: `num_samples` of them, or a row for each row of `input`.

    Raises:
        ValueError: where torch raises RuntimeError: invalid weights, whose place and value the
            message gives, sizes, and more samples without replacement than there are positive
            weights. A sum that overflows is an error only of more than 8,192 samples with
            replacement from one row, on a GPU of more than 2,048 categories.
        RuntimeError: several rows or samples with replacement, while the stream is captured.

    >>> multinomial(torch.tensor([[0.0, 1, 0], [3, 0, 0]]), 2, replacement=True)
    tensor([[1, 1],
            [0, 0]])
    """
    num_samples = integer(num_samples, "num_samples", least=1)
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"argument 'input' is of type {type(input).__name__}; it must be a tensor")
    library = library_of(input)
    library.require_dense(input, "input")
    if input.dim() not in (1, 2):
        raise ValueError(f"argument 'input' has shape {tuple(input.shape)}; it must have one "
                         "dimension or two")
    require_real(input.dtype, not input.is_complex(), "input")
    tensor_address(input, "input")
    *rows, columns = input.shape
    if not replacement and num_samples > columns:
        raise ValueError(f"argument 'num_samples' is {num_samples}; without replacement at most as "
                         f"many samples as there are weights can be drawn, {columns}")
    shape = (*rows, num_samples)
    count_of(shape, "num_samples")
    if out is not None and not isinstance(out, torch.Tensor):
        raise TypeError(f"argument 'out' is of type {type(out).__name__}; it must be a tensor")
    if out is not None:
        library.require_dense(out, "out")
    if out is not None and (tuple(out.shape) != shape or out.dtype != torch.int64
                            or out.device != input.device):
        raise ValueError(f"argument 'out' has shape {tuple(out.shape)} and dtype {out.dtype} on "
                         f"{out.device}; it must have shape {shape} and dtype torch.int64 on "
                         f"{input.device}")
    if generator is None:
        generator = (torch.cuda.default_generators[input.get_device()] if input.is_cuda else
                     torch.default_generator)
    elif not isinstance(generator, torch.Generator):
        raise TypeError(f"argument 'generator' is of type {type(generator).__name__}; it must be a "
                        "torch.Generator")
    elif generator.device.type != input.device.type:
        raise ValueError(f"argument 'generator' is of device {generator.device}; 'input' is on "
                         f"{input.device}")
    if input.is_cuda and gpu.is_capturing(library.current_stream(input.get_device())):
        if rows or (replacement and num_samples > 1):
            raise RuntimeError("multinomial of several rows or with replacement waits for the GPU, "
                               "which cannot be captured in a CUDA graph; use Sampler.draw or "
                               "SegmentedSampler.draw")
        chosen: torch.Tensor = choose(input, None if out is not None else num_samples, generator,
                                      out=out, check=False)
        return chosen
    seed = seed_word(generator)
    replacement = bool(replacement) or num_samples == 1  # also of NumPy's type
    is_short = columns <= 2048  # a GPU searches such a row in fast memory
    needs_table = (replacement and not rows and num_samples > _core.max_searched_samples
                   and not (is_short and input.is_cuda))
    try:
        if needs_table:
            samples: torch.Tensor = Sampler(input, seed=seed).draw(num_samples, out=out)
        elif rows or is_short or replacement:
            samples = draw_from_rows(input, num_samples, replacement, seed, out)
        else:
            samples = choose(input, None if out is not None else num_samples, seed, out=out)
    except ValueError as error:
        _check_rows(input, 1 if replacement else num_samples)
        raise renamed(error, "weights", "input") from None
    return samples


def _check_rows(input: torch.Tensor, positive: int) -> None:
    """Raises ValueError for the first invalid weight, or for the first row that has fewer positive
    weights than it must have."""
    matrix = input.double() if input.dim() == 2 else input.double()[None]

    def of(row: int) -> str:
        return f" of row {row}" if input.dim() == 2 else ""

    invalid = ~((matrix >= 0) & (matrix < float("inf")))
    if bool(invalid.any()):
        row, column = invalid.nonzero()[0].tolist()
        value = matrix[row, column].item()
        fault = ("not a number" if math.isnan(value) else
                 "infinite" if value == float("inf") else "negative")
        raise ValueError(f"argument 'input': weight {column}{of(row)} is {fault} ({value:g})")
    if not input.is_floating_point() and input.itemsize == 8:
        words = input.reshape(matrix.shape).cpu().numpy()
        inexact = np.argwhere(differs(words.astype(np.float64), words))
        if len(inexact) > 0:
            row, column = inexact[0].tolist()
            raise ValueError(f"argument 'input': weight {column}{of(row)} is {words[row, column]}, "
                             "which a double does not represent exactly")
    counts = (matrix > 0).sum(1)
    if bool((counts < positive).any()):
        row = int((counts < positive).nonzero()[0])
        count = int(counts[row])
        if matrix.shape[1] == 0:
            fault = f" has shape {tuple(input.shape)}; at least one weight is needed"
        elif count == 0:
            fault = f": all {matrix.shape[1]} weights{of(row)} are zero"
        else:
            are = f"1 weight{of(row)} is" if count == 1 else f"{count} weights{of(row)} are"
            fault = (f": only {are} positive; {positive} are needed for as many samples without "
                     "replacement")
        raise ValueError(f"argument 'input'{fault}")


class _Rows:
    """The rows of a table in the memory of its sampler's core, which it keeps."""

    def __init__(self, core: Any, items: int, device: int) -> None:
        self._core = core
        interface = {"shape": (items, 2), "typestr": "<i4", "data": (core.rows(), False),
                     "version": 3}
        setattr(self, "__array_interface__" if device == CPU else "__cuda_array_interface__",
                interface)


def table(sampler: Sampler) -> torch.Tensor:
    """The table of a sampler, for `draw`: a tensor of int32 with two elements for each item, in the
    sampler's memory. A rebuild from as many weights changes it in place; after another one it is
    still the old table. Do not write to it.

    >>> table(Sampler(torch.ones(5))).shape
    torch.Size([5, 2])
    """
    if not isinstance(sampler, Sampler):
        raise TypeError(f"argument 'sampler' is of type {type(sampler).__name__}; it must be a "
                        "wrsgpu.Sampler")
    rows = _Rows(sampler._core, len(sampler), sampler._device)
    sampler._exported = True
    if sampler._device == CPU:
        return torch.from_numpy(np.asarray(rows))
    return torch.as_tensor(rows, device=f"cuda:{sampler._device}")


@torch.library.custom_op("wrsgpu::draw", mutates_args=("state",))
def draw(table: torch.Tensor, state: torch.Tensor, size: int) -> torch.Tensor:
    """Draws from the table of a sampler, as `sampler.draw(size, state=state)` does with 10 rounds:
    an operator that `torch.compile` can trace, also with fullgraph=True and in CUDA graphs.

    Args:
        table: what the function `table` gives, or a copy, on any device that wrsgpu draws on. What
            the rows say is not checked, as that would take longer than the draw: of other numbers,
            or of some rows of a table alone, the samples are not those of any weights, and can be
            any numbers of 32 bits.
        state: what `wrsgpu.random_state` makes, on the same device; it is advanced.
        size: number of samples.

    Returns:
        A tensor of int64.

    Raises:
        ValueError: tensors that are no table or no state, or on different devices.

    >>> sampler = Sampler(torch.tensor([1.0, 2, 3, 4]))
    >>> draw(table(sampler), wrsgpu.random_state(7, like=torch.empty(0)), 5)
    tensor([3, 3, 2, 0, 1])
    """
    # A draw from a table without rows would read outside it.
    rows = max(table.shape[0], 1) if table.dim() == 2 else 1
    for name, tensor, dtype, shape in (("table", table, torch.int32, (rows, 2)),
                                       ("state", state, torch.int64, (2,))):
        if (tensor.dtype != dtype or tuple(tensor.shape) != shape or not tensor.is_contiguous()
                or tensor.device != table.device):
            raise ValueError(f"argument '{name}' has dtype {tensor.dtype} and shape "
                             f"{tuple(tensor.shape)} on {tensor.device}; it must be what "
                             "wrsgpu.torch.table or wrsgpu.random_state makes, on one device")
    library = library_of(table)
    device = library.device(table)
    count = integer(size, "size", MAX_SAMPLES)
    out: torch.Tensor = library.new((count,), "int64", device, None).owner
    arguments = (table.data_ptr(), table.shape[0], out.data_ptr(), size)
    if device == CPU:
        seed, offset = state.numpy().view(np.uint64).tolist()
        _core.draw_from_table(*arguments, seed, offset)
        state[1] += size
    else:
        gpu.gpu_draw_from_table(*arguments, state.data_ptr(), device,
                                 library.current_stream(device))
    return out


# help() would show the documentation of torch's class.
draw.__doc__ = getattr(draw, "_init_fn", draw).__doc__


@draw.register_fake
def _(table: torch.Tensor, state: torch.Tensor, size: int) -> torch.Tensor:
    if table.device != state.device:  # torch comes here with a state on "meta", too
        raise ValueError(f"argument 'state' is on {state.device}; it must be on the table's "
                         f"device, {table.device}")
    return torch.empty(size, dtype=torch.int64, device=table.device)


class WeightedRandomSampler(torch.utils.data.Sampler[int]):
    """`torch.utils.data.WeightedRandomSampler` with the same arguments, for more than 2^24 weights,
    several ranks and resumed epochs.

    Args:
        weights: one per element of the data set: a sequence or an array of any library, as for
            `wrsgpu.Sampler`. The table is on their device.
        num_samples: number of samples of an epoch, over all ranks.
        replacement: False takes an element at most once in an epoch, except for those at its
            beginning that are taken again so that all ranks have as many. The weights are then
            read in every epoch.
        generator: gives the seed, once, when the sampler is made.
        seed: instead of a generator, as for `wrsgpu.Sampler`.
        num_replicas, rank: number of processes that share an epoch, and the number of this one.
            Each takes `len(sampler)` samples, num_samples / num_replicas rounded up, of its
            own. All must have the same seed, which is therefore required.

    Every iteration is a new epoch; `state_dict` is about the last one that was begun. An iteration
    after `load_state_dict` continues where `state_dict` was called: after a state of an epoch's end it
    takes nothing, and the one after it is the next epoch. A `DataLoader` takes indices before it
    needs them: those that it has taken count as used.

    Raises:
        ValueError: when it is made, invalid weights, and without replacement fewer positive ones
            than `num_samples`.

    >>> sampler = WeightedRandomSampler([0.0, 1, 0], num_samples=3)
    >>> list(sampler)
    [1, 1, 1]
    """

    def __init__(self, weights: Sequence[float] | Any, num_samples: int, replacement: bool = True,
                 generator: torch.Generator | None = None, *, seed: Seed = None,
                 num_replicas: int = 1, rank: int = 0) -> None:
        self.num_samples = integer(num_samples, "num_samples", MAX_SAMPLES, least=1)
        if generator is not None and not isinstance(generator, torch.Generator):
            raise TypeError(f"argument 'generator' is of type {type(generator).__name__}; it must "
                            "be a torch.Generator; 'seed' can be others")
        if generator is not None and seed is not None:
            raise TypeError("WeightedRandomSampler() takes 'generator' or 'seed', not both")
        num_replicas = integer(num_replicas, "num_replicas", 1 << 32, least=1)
        if num_replicas > 1 and generator is None and seed is None:
            raise ValueError("argument 'seed' is needed if there are several replicas: all of them "
                             "must have the same")
        self.replacement = replacement
        self.generator = generator
        self.num_replicas = num_replicas
        self.rank = integer(rank, "rank", num_replicas)
        given = generator if seed is None else seed
        if replacement:
            self._sampler = Sampler(weights, seed=given)
            self._seed = self._sampler.seed
        else:
            self._weights = weights
            self._seed = seed_word(library_of(weights).default_seed(given))
            try:
                choose(weights, num_samples, self._seed)
            except ValueError as error:  # here, not in the first epoch
                raise renamed(error, "size", "num_samples") from None
        self._epoch = 0
        self._taken = 0  # of this epoch
        self._iteration: object = None  # the last one
        self._resumes = True  # the next iteration begins with what has been taken of this epoch

    def __len__(self) -> int:
        """Number of samples of an epoch that this rank takes."""
        return -(-self.num_samples // self.num_replicas)

    def __iter__(self) -> Iterator[int]:
        if not self._resumes:
            self._epoch += 1
            self._taken = 0
        self._resumes = False
        iteration = self._iteration = object()
        taken = self._taken
        for chunk in (self._chunks_with_replacement() if self.replacement else
                      self._chunks_of_different()):
            for index in chunk.tolist():
                taken += 1
                if self._iteration is iteration:  # not where an older one goes on
                    self._taken = taken
                yield index

    def _chunks_with_replacement(self) -> Iterator[Any]:
        size, at_a_time = len(self), 1 << 16
        begin = (self._epoch * self.num_replicas + self.rank) * size
        for first in range(self._taken, size, at_a_time):
            yield self._sampler.draw(min(at_a_time, size - first), seed=self._seed,
                                     offset=(begin + first) % WORDS)

    def _chunks_of_different(self) -> Iterator[Any]:
        chosen = choose(self._weights, self.num_samples, self._seed,
                        self._epoch * len(self._weights))
        places = range(self.rank * len(self) + self._taken, (self.rank + 1) * len(self))
        yield chosen[[place % self.num_samples for place in places]]

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iteration that of an epoch, from its beginning."""
        self._epoch = integer(epoch, "epoch", 1 << 32)
        self._taken = 0
        self._iteration = None
        self._resumes = True

    def state_dict(self) -> dict[str, int]:
        """The seed, the number of the epoch, and how many of its samples this rank has taken; and,
        to be compared, the numbers of samples and of replicas."""
        return {"seed": self._seed, "epoch": self._epoch, "taken": self._taken,
                "num_samples": self.num_samples, "num_replicas": self.num_replicas}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Continues where `state_dict` was called, in a sampler of the same arguments.

        Raises:
            ValueError, TypeError: another mapping, numbers that this sampler cannot have, or other
                numbers of samples or replicas. Then nothing is changed.
        """
        own = self.state_dict()
        if not isinstance(state, Mapping):
            raise TypeError(f"argument 'state' is of type {type(state).__name__}; it must be what "
                            "state_dict gives")
        if state.keys() != own.keys():
            raise ValueError(f"argument 'state' has the keys {', '.join(map(repr, state))}; it must "
                             f"have {', '.join(map(repr, own))}")
        for key in ("num_samples", "num_replicas"):
            if (number := integer(state[key], f"state[{key!r}]")) != own[key]:
                raise ValueError(f"argument 'state[{key!r}]' is {number}; this sampler has "
                                 f"{own[key]}")
        ends = {"seed": WORDS, "epoch": 1 << 32, "taken": len(self) + 1}
        self._seed, self._epoch, self._taken = [
            integer(state[key], f"state[{key!r}]", end) for key, end in ends.items()]
        self._iteration = None
        self._resumes = True


class ProcessGroupRanks:
    """The ranks of a `torch.distributed` process group, or of the default one, for
    `wrsgpu.ShardedSampler`, which makes it from such a group.

    Args:
        group: the process group, None for the default one.
        device: that of the weights: the number of a GPU, or -1.
    """

    def __init__(self, group: Any, device: int) -> None:
        distributed = torch.distributed
        self._group = group
        self.rank = distributed.get_rank(group)
        self.size = distributed.get_world_size(group)
        on_gpu = distributed.get_backend(group) == "nccl"
        cpu = torch.device("cpu")
        self._of_numbers = cpu if device == CPU else torch.device("cuda", device)
        self._of_bytes = cpu
        if on_gpu:
            self._of_bytes = torch.device("cuda", torch.cuda.current_device() if device == CPU
                                          else device)

    def all_gather(self, mine: bytes) -> list[bytes]:
        tensor = torch.frombuffer(bytearray(mine), dtype=torch.uint8).to(self._of_bytes)
        gathered = [torch.empty_like(tensor) for _ in range(self.size)]
        torch.distributed.all_gather(gathered, tensor, group=self._group)
        return [each.cpu().numpy().tobytes() for each in gathered]

    def all_to_all(self, send: Any, send_counts: list[int], receive: Any,
                   receive_counts: list[int]) -> None:
        on: Any = contextlib.nullcontext()
        if self._of_numbers.type == "cuda":  # torch does not use the stream that arrays name
            on = torch.cuda.stream(torch.cuda.ExternalStream(
                send.__cuda_array_interface__["stream"], device=self._of_numbers))
        with on:
            torch.distributed.all_to_all_single(
                self._tensor(receive, sum(receive_counts)), self._tensor(send, sum(send_counts)),
                receive_counts, send_counts, group=self._group)

    def _tensor(self, numbers: Any, size: int) -> torch.Tensor:
        if size == 0:
            return torch.empty(0, dtype=torch.int64, device=self._of_numbers)
        return torch.as_tensor(numbers, device=self._of_numbers)
