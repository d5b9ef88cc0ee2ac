#!/usr/bin/env python3
"""Neighbour sampling with fanouts for a small graph neural network (GraphSAGE, Hamilton, Ying and
Leskovec, 2017) in plain torch, on a GPU if there is one. For each vertex of a batch it draws 10
neighbours by edge weight without replacement, and 5 for each of those. Prints the accuracy on
vertices that it was not trained on.

Usage: neighbour_sampling.py
"""

from collections.abc import Callable

import torch
from block_graph import block_graph

import wrsgpu

FANOUTS = (10, 5)
Sample = Callable[[torch.Tensor, int], torch.Tensor]


class Layer(torch.nn.Module):
    """The mean of the sampled neighbours, and the vertex itself."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.own = torch.nn.Linear(inputs, outputs)
        self.neighbours = torch.nn.Linear(inputs, outputs, bias=False)

    def forward(self, own: torch.Tensor, neighbours: torch.Tensor,
                there: torch.Tensor) -> torch.Tensor:
        """`neighbours` has a row for each sample, of which `there` are vertices."""
        count = there.sum(-1, keepdim=True).clamp(min=1)
        mean = (neighbours * there[..., None]).sum(-2) / count
        result: torch.Tensor = self.own(own) + self.neighbours(mean)
        return result


class Network(torch.nn.Module):
    def __init__(self, features: int, classes: int, hidden: int = 32) -> None:
        super().__init__()
        self.first = Layer(features, hidden)
        self.second = Layer(hidden, classes)

    def forward(self, features: torch.Tensor, batch: torch.Tensor, sample: Sample) -> torch.Tensor:
        near = sample(batch, FANOUTS[0])
        far = sample(near.clamp(min=0).reshape(-1), FANOUTS[1]).reshape(*near.shape, FANOUTS[1])
        own_near = sample(batch, FANOUTS[1])

        def of(vertices: torch.Tensor) -> torch.Tensor:
            return features[vertices.clamp(min=0)]

        hidden_near = torch.relu(self.first(of(near), of(far), far >= 0))
        hidden = torch.relu(self.first(of(batch), of(own_near), own_near >= 0))
        result: torch.Tensor = self.second(hidden, hidden_near, near >= 0)
        return result


def main() -> None:
    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() and wrsgpu.has_cuda else "cpu"
    offsets, neighbours, weights, community = (
        torch.from_numpy(array).to(device) for array in block_graph())
    sampler = wrsgpu.SegmentedSampler(offsets, weights, keep_weights=True)
    neighbours = neighbours.int()

    def sample(vertices: torch.Tensor, count: int) -> torch.Tensor:
        drawn: torch.Tensor = sampler.draw(vertices, count, replace=False, payload=neighbours)
        return drawn

    # Features that say little of a vertex by itself.
    classes = int(community.max()) + 1
    features = torch.nn.functional.one_hot(community, classes).float()
    features += 1.5 * torch.randn(features.shape, device=device)
    order = torch.randperm(len(community), device=device)
    train, test = order[: len(order) // 2], order[len(order) // 2:]
    network = Network(classes, classes).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(40):
        for batch in train[torch.randperm(len(train), device=device)].split(20):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(features, batch, sample),
                                                     community[batch])
            loss.backward()
            optimiser.step()
    with torch.no_grad():
        right = network(features, test, sample).argmax(1) == community[test]
    print(f"right community: {int(right.sum())} of {len(test)}")


if __name__ == "__main__":
    main()
