"""Weighted random sampling with exact alias tables, on NVIDIA GPUs and on CPUs.

>>> import wrsgpu
>>> sampler = wrsgpu.Sampler([1, 2, 3, 4])
>>> sampler.draw(5, seed=7)
array([3, 3, 2, 0, 1])

`Sampler` builds a table once and draws many times; `choice` does both in one call.
`SegmentedSampler` has a table for each row of a CSR matrix, and walks on graphs.
`ShardedSampler` draws from weights that are spread over several processes or GPUs.
`sample_without_replacement` and `shuffle` are uniform. All of them take a seed and give the same
numbers for it on every machine, with or without a GPU.
"""

import importlib
from typing import Any

from wrsgpu._choose import multinomial_counts, resample
from wrsgpu._core import has_cuda
from wrsgpu._permutation import Permutation, sample_without_replacement, shuffle
from wrsgpu._sampler import Sampler, choice, random_state
from wrsgpu._segments import SegmentedSampler
from wrsgpu._sharded import Group, ShardedSampler
from wrsgpu._version import version as __version__

__all__ = ["Group", "Permutation", "Sampler", "SegmentedSampler", "ShardedSampler", "choice",
           "has_cuda", "multinomial_counts", "random_state", "resample",
           "sample_without_replacement", "shuffle"]


def __getattr__(name: str) -> Any:
    """Imports `wrsgpu.torch`, and with it torch, where it is used."""
    if name == "torch":
        return importlib.import_module("wrsgpu.torch")
    raise AttributeError(f"module 'wrsgpu' has no attribute {name!r}")
