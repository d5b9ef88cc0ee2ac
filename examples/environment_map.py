#!/usr/bin/env python3
"""Samples the light of a sky with a sun, and compares with sampling all directions alike.
  python examples/environment_map.py --out environment_map.png

Each pixel of the map is an item, whose weight is its brightness times the solid angle that it covers. The light on
a surface is estimated as the mean of f / p over samples, where f is what a pixel contributes and p its probability.
"""

import argparse

import matplotlib
import numpy as np
from numpy.typing import NDArray

import wrsgpu

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

HEIGHT, WIDTH = 256, 512
SUN = np.array([0.5, -0.3, 0.8]) / np.linalg.norm([0.5, -0.3, 0.8])


def directions() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The direction to the centre of each pixel (z up), and the solid angle that it covers."""
    theta = (np.arange(HEIGHT) + 0.5) / HEIGHT * np.pi
    phi = (np.arange(WIDTH) + 0.5) / WIDTH * 2 * np.pi
    t, p = np.meshgrid(theta, phi, indexing="ij")
    angle = np.sin(t) * (np.pi / HEIGHT) * (2 * np.pi / WIDTH)
    return np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1), angle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="environment_map.png")
    options = parser.parse_args()

    direction, angle = directions()
    towards_sun = direction @ SUN
    sky = np.where(direction[..., 2] > 0, 0.4 + 0.6 * direction[..., 2], 0.1)
    brightness = sky + 4000 * (towards_sun > np.cos(0.02)) + 3 * np.maximum(towards_sun, 0) ** 80

    normal = np.array([0.0, 0.0, 1.0])  # of the surface that is lit
    contribution = (brightness * np.maximum(direction @ normal, 0) * angle).ravel()
    exact = contribution.sum()
    ways = {"by brightness": wrsgpu.Sampler((brightness * angle).ravel(), seed=7),
            "by solid angle": wrsgpu.Sampler(angle.ravel(), seed=7)}

    figure, (picture, errors) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained",
                                             width_ratios=(1.6, 1))
    picture.imshow(np.log(brightness), cmap="inferno", extent=(0, WIDTH, HEIGHT, 0))
    rows, columns = np.divmod(ways["by brightness"].draw(400, seed=1), WIDTH)
    picture.plot(columns + 0.5, rows + 0.5, "c.", markersize=3)
    picture.set(title="logarithm of the brightness, and 400 samples", xticks=[], yticks=[])

    sizes = 4 ** np.arange(2, 10)
    for name, sampler in ways.items():
        error = []
        for size in sizes:
            estimates = []
            for _ in range(20):
                items, p = sampler.draw(int(size), return_probabilities=True)
                estimates.append(np.mean(contribution[items] / p))
            error.append(np.sqrt(np.mean((np.array(estimates) / exact - 1) ** 2)))
        print(f"{name}: relative error {error[-1]:.2e} with {sizes[-1]} samples")
        errors.loglog(sizes, error, "o-", label=name)
    errors.set(xlabel="samples", ylabel="relative error of the light on a surface")
    errors.legend()
    figure.savefig(options.out, dpi=100)


if __name__ == "__main__":
    main()
