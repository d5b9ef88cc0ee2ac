"""A small weighted graph with communities, as the examples of walks and of neighbour sampling use."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


def block_graph(communities: int = 3, size: int = 40, inside: int = 10, outside: int = 2,
                seed: int = 0) -> tuple[Numbers, Numbers, Reals, Numbers]:
    """A random graph: each vertex has `inside` edges to its own community and `outside` to any
    vertex, in both directions, with weights between 0.5 and 1.5.

    Returns:
        Offsets, neighbours and weights of its CSR matrix, and the community of each vertex.
    """
    random = np.random.default_rng(seed)
    vertices = communities * size
    community = np.arange(vertices) // size
    sources = np.repeat(np.arange(vertices), inside + outside)
    own = community[sources] * size + random.integers(size, size=len(sources))
    anywhere = random.integers(vertices, size=len(sources))
    targets = np.where(np.arange(len(sources)) % (inside + outside) < inside, own, anywhere)
    rows = np.concatenate([sources, targets])
    columns = np.concatenate([targets, sources])
    order = np.argsort(rows, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=vertices))])
    return offsets, columns[order], random.uniform(0.5, 1.5, len(rows)), community
