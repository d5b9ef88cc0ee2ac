"""What only JAX has."""

import numpy as np
import pytest

import wrsgpu
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
    high, low = jax.random.key_data(one).tolist()
    assert high > 0
    assert sampler.draw(100, seed=one).tolist() == sampler.draw(100, seed=high << 32 | low).tolist()
    with pytest.raises(TypeError, match=r"argument 'seed' is an array of shape \(3,\)"):
        sampler.draw(1, seed=jax.numpy.zeros(3))


def test_tracing_is_refused():
    sampler = Sampler([1, 2, 3])
    for name, call, argument in (
            ("weights", lambda weights: Sampler(weights).draw(3), jax.numpy.ones(3)),
            ("seed", lambda key: sampler.draw(3, seed=key), jax.random.key(1)),
            ("like", lambda like: wrsgpu.sample_without_replacement(9, 3, like=like), 1)):
        with pytest.raises(TypeError, match=f"argument '{name}' is traced by jax.jit"):
            jax.jit(call)(argument)


@pytest.mark.parametrize(("name", "call"), [
    ("weights", Sampler),
    ("weights", lambda array: Sampler([1, 2, 3]).rebuild(array)),
    ("weights", lambda array: wrsgpu.choice(array, 2, replace=False)),
    ("weights", lambda array: wrsgpu.SegmentedSampler([0, 3], array)),
    ("offsets", lambda array: wrsgpu.SegmentedSampler(array, jax.numpy.ones(3))),
    ("values", lambda array: Sampler(jax.numpy.ones(3), keep_weights=True).update([0], array)),
    ("indices", lambda array: Sampler(jax.numpy.ones(3), keep_weights=True).update(
        array, jax.numpy.ones(3))),
    ("like", lambda array: wrsgpu.sample_without_replacement(9, 3, like=array)),
    ("seed", lambda array: Sampler([1, 2, 3]).draw(2, seed=array)),
])
def test_deleted_arrays(name, call):
    array = jax.random.PRNGKey(3) if name == "seed" else jax.numpy.arange(3)
    array.delete()
    with pytest.raises(ValueError, match=f"argument '{name}' is an array of JAX that has been"):
        call(array)


def test_with_64_bits():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        sampler = Sampler(jax.numpy.ones(10))
        assert sampler.draw(5, seed=1).dtype == np.int64
        assert np.array_equal(sampler.histogram(100, seed=1), Sampler(np.ones(10)).histogram(
            100, seed=1))
