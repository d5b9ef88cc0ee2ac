#!/usr/bin/env python3
"""DeepWalk (Perozzi, Al-Rfou and Skiena, 2014) on a small graph: weighted random walks, and vectors
of the vertices by skip-gram with negative sampling, in NumPy. Prints how many vertices have one of
their own community as the nearest other vertex.

Usage: deepwalk.py
"""

import numpy as np
from block_graph import Numbers, Reals, block_graph

import wrsgpu


def pairs_of(walks: Numbers, window: int) -> Numbers:
    """All pairs of vertices that are at most `window` steps apart in a walk."""
    pairs = []
    for distance in range(1, window + 1):
        near = np.stack([walks[:, :-distance].ravel(), walks[:, distance:].ravel()], axis=1)
        pairs += [near, near[:, ::-1]]
    return np.concatenate(pairs)


def skip_gram(pairs: Numbers, vertices: int, dimensions: int = 16, negatives: int = 4,
              epochs: int = 5, rate: float = 0.05, seed: int = 0) -> Reals:
    """Vectors by stochastic gradient ascent, in batches."""
    random = np.random.default_rng(seed)
    vectors = random.normal(scale=0.1, size=(vertices, dimensions))
    contexts = random.normal(scale=0.1, size=(vertices, dimensions))
    noise = wrsgpu.Sampler(np.bincount(pairs[:, 1], minlength=vertices) ** 0.75, seed=seed)
    for _ in range(epochs):
        for batch in np.array_split(random.permutation(pairs), len(pairs) // 256 + 1):
            centre = batch[:, 0]
            others = np.concatenate([batch[:, 1:], noise.draw((len(batch), negatives))], axis=1)
            wanted = np.arange(negatives + 1) == 0  # the first one is the true neighbour
            scores = np.einsum("bd,bkd->bk", vectors[centre], contexts[others])
            error = rate * (wanted - 1 / (1 + np.exp(-scores)))
            steps = np.einsum("bk,bkd->bd", error, contexts[others])
            np.add.at(contexts, others, error[..., None] * vectors[centre][:, None])
            np.add.at(vectors, centre, steps)
    return vectors


def main() -> None:
    offsets, neighbours, weights, community = block_graph()
    vertices = len(community)
    sampler = wrsgpu.SegmentedSampler(offsets, weights, seed=1)
    walks = sampler.walk(np.tile(np.arange(vertices), 10), 20, neighbours)
    vectors = skip_gram(pairs_of(walks, window=3), vertices)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -1)
    right = community[similarity.argmax(axis=1)] == community
    print(f"nearest vertex in the same community: {right.sum()} of {vertices}")


if __name__ == "__main__":
    main()
