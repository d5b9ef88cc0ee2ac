"""What only JAX has."""

import re

import numpy as np
import pytest

from wrsgpu import Sampler

jax = pytest.importorskip("jax", reason="jax is not installed")


def test_keys_are_seeds():
    sampler = Sampler([1, 2, 3, 4])
    key = jax.random.key(5)
    expected = sampler.draw(100, seed=5).tolist()  # a key's words are 0 and 5
    assert sampler.draw(100, seed=key).tolist() == expected
    assert sampler.draw(100, seed=jax.random.PRNGKey(5)).tolist() == expected
    one, other = jax.random.split(key)
    assert sampler.draw(100, seed=one).tolist() != sampler.draw(100, seed=other).tolist()
    with pytest.raises(TypeError, match=r"argument 'seed' is an array of shape \(3,\)"):
        sampler.draw(1, seed=jax.numpy.zeros(3))


def test_tracing_is_refused():
    with pytest.raises(TypeError, match=re.escape("cannot be traced by jax.jit")):
        jax.jit(lambda weights: Sampler(weights).draw(3))(jax.numpy.ones(3))


def test_with_64_bits():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        sampler = Sampler(jax.numpy.ones(10))
        assert sampler.draw(5, seed=1).dtype == np.int64
        assert np.array_equal(sampler.histogram(100, seed=1), Sampler(np.ones(10)).histogram(
            100, seed=1))
