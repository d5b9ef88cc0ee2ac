"""Permutations and uniform sampling without replacement."""

import re

import numpy as np
import pytest

from wrsgpu import Permutation, sample_without_replacement, shuffle


@pytest.mark.parametrize("items", [1, 2, 3, 100, 4095, 4096, 4097])
def test_all_draws_are_a_permutation(items):
    permutation = shuffle(items, seed=5)
    values = permutation[:]
    assert sorted(values.tolist()) == list(range(items))
    assert list(permutation) == values.tolist()
    assert [permutation[k] for k in range(items)] == values.tolist()
    assert np.array_equal(permutation[np.arange(items)], values)
    assert np.array_equal(np.asarray(permutation), values)
    assert np.array_equal(sample_without_replacement(items, items, seed=5), values)
    assert [permutation.index(value) for value in values[:5]] == list(range(min(items, 5)))


def test_permutations_of_three_are_equally_likely():
    """24,000 permutations; the largest of six deviations exceeds five sigmas in 1e-5 of cases."""
    counts = {}
    for seed in range(24_000):
        key = tuple(shuffle(3, seed=seed)[:].tolist())
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 6
    sigma = (24_000 * 1 / 6 * 5 / 6) ** 0.5
    assert max(abs(count - 4000) for count in counts.values()) < 5 * sigma


def test_places():
    permutation = shuffle(10**12, seed=7)
    assert len(permutation) == 10**12
    some = permutation[5:9]
    assert some.dtype == np.int64
    assert [permutation[k] for k in range(5, 9)] == some.tolist()
    assert permutation[-1] == permutation[10**12 - 1]
    assert permutation[8:4:-1].tolist() == some[::-1].tolist()
    assert permutation[5:9:2].tolist() == some[::2].tolist()
    assert permutation[[5, -1]].tolist() == [permutation[5], permutation[-1]]
    assert permutation[np.array([[5, 6], [7, 8]], np.uint8)].tolist() == some.reshape(2, 2).tolist()
    assert permutation[3:3].size == 0
    assert permutation[7:3].size == 0
    assert permutation[[]].size == 0
    assert permutation.index(permutation[123456789]) == 123456789
    for number, is_there in ((5, True), (np.int64(5), True), (10**12, False), (-1, False),
                             (0.5, False), ("a", False)):
        assert (number in permutation) == is_there  # without computing all


def test_arrays_of_all_places():
    assert np.array(shuffle(6, seed=1), np.float32).tolist() == list(shuffle(6, seed=1))
    with pytest.raises(ValueError, match="thus a copy"):
        shuffle(6, seed=1).__array__(copy=False)


def test_seeds():
    assert shuffle(100, seed=1)[:].tolist() != shuffle(100, seed=2)[:].tolist()
    one = shuffle(10**6)
    assert one.seed != shuffle(10**6).seed
    assert eval(repr(one), {"wrsgpu": __import__("wrsgpu")})[:9].tolist() == one[:9].tolist()
    assert np.array_equal(sample_without_replacement(10**6, 9, seed=np.random.default_rng(3)),
                          sample_without_replacement(10**6, 9, seed=np.random.default_rng(3)))
    assert not np.array_equal(sample_without_replacement(10**6, 9),
                              sample_without_replacement(10**6, 9))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_out_and_dtype(dtype):
    expected = shuffle(1000, seed=3)[100:107]
    result = sample_without_replacement(1000, 7, seed=3, first=100, dtype=dtype)
    assert result.dtype == np.dtype(dtype)
    assert np.array_equal(result, expected)
    room = np.full(9, 77, dtype)
    sample_without_replacement(1000, seed=3, first=100, out=room[1:-1])
    assert np.array_equal(room, [77, *expected, 77])
    assert sample_without_replacement(1000, (2, 3), seed=3).shape == (2, 3)
    assert sample_without_replacement(1000, 0, dtype=dtype).size == 0


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"items": 0, "size": 1}, ValueError, "argument 'items' is 0; it must be between 1 and"),
    ({"items": -1, "size": 1}, ValueError, "argument 'items' is -1"),
    ({"items": 2**40 + 1, "size": 1}, ValueError, "argument 'items' is 1099511627777"),
    ({"items": 1.0, "size": 1}, TypeError, "argument 'items' is 1.0"),
    ({"items": 10}, TypeError, "needs 'size' or 'out'"),
    ({"items": 10, "size": 11}, ValueError, "there are 10 items"),
    ({"items": 10, "size": 5, "first": 6}, ValueError, "only 4 remain"),
    ({"items": 10, "size": 0, "first": 11}, ValueError, "only 0 remain"),
    ({"items": 10, "size": 5, "first": -1}, ValueError, "argument 'first' is -1"),
    ({"items": 10, "out": np.empty(11, np.int64)}, ValueError, "argument 'out' has 11 elements"),
    ({"items": 10, "out": np.empty(4, np.int64), "first": 7}, ValueError, "only 3 remain"),
    ({"items": 10, "out": np.empty(3)}, TypeError, "argument 'out' has dtype float64"),
    ({"items": 2**31 + 1, "size": 1, "dtype": "int32"}, ValueError,
     "argument 'dtype' is int32; it does not hold the 2147483649 numbers"),
    ({"items": 2**32 + 1, "size": 1, "dtype": "uint32"}, ValueError, "argument 'dtype' is uint32"),
])
def test_invalid_arguments(arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        sample_without_replacement(**arguments)


def test_invalid_places():
    permutation = Permutation(10, seed=1)
    for place in (10, -11, 2**63, [3, 10], np.array([[0], [-11]])):
        with pytest.raises(IndexError, match="outside a permutation of 10 numbers"):
            permutation[place]
    for place in (1.5, "1", None, {1}, [1.5]):
        with pytest.raises(TypeError, match="^places? .*integers"):
            permutation[place]
    with pytest.raises(TypeError, match="argument 'place' is a masked array"):
        permutation[np.ma.array([1])]
    with pytest.raises(ValueError, match="argument 'value' is 10"):
        permutation.index(10)
