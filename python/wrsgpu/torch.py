"""For PyTorch, with torch's arguments: `multinomial`, and a sampler for data loaders."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from wrsgpu._arguments import Seed, integer
from wrsgpu._sampler import NO_REPLACEMENT, Sampler


def multinomial(input: torch.Tensor, num_samples: int, replacement: bool = False, *,
                generator: torch.Generator | None = None,
                out: torch.Tensor | None = None) -> torch.Tensor:
    """`torch.multinomial` with the same arguments, without its limit of 2^24 categories, and with
    exact probabilities of categories that are rare.

    Every call builds a table for each row, and waits for the GPU to check the weights. For several
    draws from the same weights, and in CUDA graphs, use `wrsgpu.Sampler`.

    Args:
        input: weights of the categories, one row, or a matrix with one distribution per row; not
            necessarily normalised. Any type of real numbers.
        num_samples: number of samples from each row, at least 1.
        replacement: False, torch's default, is not implemented yet for more than one sample.
        generator: of the input's kind of device; by default torch's, which `torch.manual_seed`
            seeds. Two words are taken from it, so that the samples differ from torch's.
        out: a contiguous tensor of int64 to write to.

    Returns:
        The samples, as int64: `num_samples` of them, or a row for each row of `input`.

    Raises:
        ValueError: where torch raises RuntimeError: invalid weights, whose place and value the
            message gives, and sizes.
        NotImplementedError: replacement=False.
    """
    if integer(num_samples, "num_samples") == 0:
        raise ValueError("argument 'num_samples' is 0; it must be at least 1")
    if not replacement and num_samples > 1:
        raise NotImplementedError(NO_REPLACEMENT.format("replacement"))
    if input.dim() not in (1, 2):
        raise ValueError(f"argument 'input' has shape {tuple(input.shape)}; it must have one "
                         "dimension or two")
    shape = (*input.shape[:-1], num_samples)
    if out is None:
        out = torch.empty(shape, dtype=torch.int64, device=input.device)
    elif tuple(out.shape) != shape or out.dtype != torch.int64:
        raise ValueError(f"argument 'out' has shape {tuple(out.shape)} and dtype {out.dtype}; it "
                         f"must have shape {shape} and dtype torch.int64")
    state = torch.empty(2, dtype=torch.int64, device=input.device).random_(generator=generator)
    sampler = None
    for weights, samples in zip(input if input.dim() == 2 else [input],
                                out if input.dim() == 2 else [out], strict=True):
        if sampler is None:
            sampler = Sampler(weights, seed=0)
        else:
            sampler.rebuild(weights)
        sampler.draw(out=samples, state=state)
    return out


class WeightedRandomSampler(torch.utils.data.Sampler[int]):
    """`torch.utils.data.WeightedRandomSampler` with the same arguments, for more than 2^24 weights,
    several ranks and resumed epochs.

    Args:
        weights: one per element of the data set: a sequence or an array of any library, as for
            `wrsgpu.Sampler`. The table is on their device.
        num_samples: number of samples of an epoch, over all ranks.
        replacement: True; False is not implemented yet.
        generator: gives the seed, once, when the sampler is made.
        seed: instead of a generator, as for `wrsgpu.Sampler`.
        num_replicas, rank: number of processes that share an epoch, and the number of this one.
            Each takes `len(sampler)` samples, num_samples / num_replicas rounded up, and no two
            take the same. All must have the same seed, which is therefore required.

    Every iteration is a new epoch. An iteration after `load_state_dict` continues where
    `state_dict` was called. A `DataLoader` takes indices before it needs them: those that it has
    taken count as used.

    >>> sampler = WeightedRandomSampler([0.0, 1, 0], num_samples=3)
    >>> list(sampler)
    [1, 1, 1]
    """

    def __init__(self, weights: Sequence[float] | Any, num_samples: int, replacement: bool = True,
                 generator: torch.Generator | None = None, *, seed: Seed = None,
                 num_replicas: int = 1, rank: int = 0) -> None:
        if integer(num_samples, "num_samples") == 0:
            raise ValueError("argument 'num_samples' is 0; it must be at least 1")
        if not replacement:
            raise NotImplementedError(NO_REPLACEMENT.format("replacement"))
        if generator is not None and seed is not None:
            raise TypeError("WeightedRandomSampler() takes 'generator' or 'seed', not both")
        if integer(num_replicas, "num_replicas", 1 << 32) == 0:
            raise ValueError("argument 'num_replicas' is 0; it must be at least 1")
        if num_replicas > 1 and generator is None and seed is None:
            raise ValueError("argument 'seed' is needed if there are several replicas: all of them "
                             "must have the same")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator
        self.num_replicas = num_replicas
        self.rank = integer(rank, "rank", num_replicas)
        self._sampler = Sampler(weights, seed=generator if seed is None else seed)
        self._epoch = 0
        self._taken = 0  # of this epoch
        self._resumes = True  # the next iteration begins with what has been taken of this epoch

    def __len__(self) -> int:
        """Number of samples of an epoch that this rank takes."""
        return -(-self.num_samples // self.num_replicas)

    def __iter__(self) -> Iterator[int]:
        if not self._resumes:
            self._epoch += 1
            self._taken = 0
        self._resumes = False
        epoch, size, at_a_time = self._epoch, len(self), 1 << 16
        begin = (epoch * self.num_replicas + self.rank) * size
        for first in range(self._taken, size, at_a_time):
            chunk = self._sampler.draw(min(at_a_time, size - first), seed=self._sampler.seed,
                                       offset=begin + first)
            for place, index in enumerate(chunk.tolist(), first + 1):
                self._taken = place
                yield index

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iteration that of an epoch, from its beginning."""
        self._epoch = integer(epoch, "epoch", 1 << 32)
        self._taken = 0
        self._resumes = True

    def state_dict(self) -> dict[str, int]:
        """The seed, the number of the epoch, and how many of its samples have been taken."""
        return {"seed": self._sampler.seed, "epoch": self._epoch, "taken": self._taken}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Continues where `state_dict` was called, in a sampler of the same arguments."""
        self._sampler.seed = integer(state["seed"], "seed")
        self._epoch = integer(state["epoch"], "epoch", 1 << 32)
        self._taken = integer(state["taken"], "taken", len(self) + 1)
        self._resumes = True
