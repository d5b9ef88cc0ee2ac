#!/usr/bin/env python3
"""Trains a classifier on data in which one class is rare, with minibatches that are drawn uniformly and by weight.
  python examples/training_loop.py --out training_loop.png

The loop is NumPy's, to run anywhere. With torch, wrsgpu.torch.WeightedRandomSampler(weights, len(data)) is the
`sampler` of a DataLoader, and tensors on a GPU are drawn from with wrsgpu.Sampler as here.
"""

import argparse

import matplotlib
import numpy as np
from numpy.typing import NDArray

import wrsgpu

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

COMMON, RARE, STEPS, BATCH = 20_000, 1000, 600, 64
Floats = NDArray[np.float64]


def data(generator: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """Points of two overlapping classes, with a constant coordinate; the second class is rare."""
    points = np.concatenate([generator.normal(0, 1, (COMMON, 2)),
                             generator.normal(2, 1, (RARE, 2))])
    labels = np.repeat(np.array([0, 1]), [COMMON, RARE])
    return np.column_stack([points, np.ones(len(points))]), labels


def balanced_accuracy(model: Floats, points: Floats, labels: NDArray[np.int64]) -> float:
    right = (points @ model > 0) == (labels == 1)
    return float((right[labels == 0].mean() + right[labels == 1].mean()) / 2)


def train(sampler: wrsgpu.Sampler, points: Floats, labels: NDArray[np.int64]) -> list[float]:
    """Logistic regression by stochastic gradient descent; the balanced accuracy after each step."""
    model = np.zeros(3)
    batch = np.empty(BATCH, np.int64)
    history = []
    for _ in range(STEPS):
        sampler.draw(out=batch)  # continues the sampler's stream
        predicted = 1 / (1 + np.exp(-points[batch] @ model))
        model -= 0.1 * points[batch].T @ (predicted - labels[batch]) / BATCH
        history.append(balanced_accuracy(model, points, labels))
    return history


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="training_loop.png")
    options = parser.parse_args()

    points, labels = data(np.random.default_rng(1))
    of_class = 1 / np.bincount(labels)  # so that both classes are drawn as often
    ways = {"uniform": np.ones(len(labels)), "weighted by class": of_class[labels]}

    figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
    for name, weights in ways.items():
        history = train(wrsgpu.Sampler(weights, seed=7), points, labels)
        print(f"{name}: balanced accuracy {history[-1]:.3f}")
        axes.plot(history, label=name)
    axes.set(xlabel="step", ylabel="balanced accuracy", ylim=(0.45, 1))
    axes.legend(title="minibatches")
    figure.savefig(options.out, dpi=100)


if __name__ == "__main__":
    main()
