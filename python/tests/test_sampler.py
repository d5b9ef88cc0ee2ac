"""Sampler and choice with NumPy arrays."""

import copy
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import wrsgpu
from wrsgpu import Sampler, _core, choice
from wrsgpu._choose import draw_from_rows

MASK = (1 << 32) - 1


def philox(counter, key, rounds=10):
    """Philox4x32 as Salmon et al. define it (SC 2011)."""
    for _ in range(rounds):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & MASK,
                   (a >> 32) ^ counter[3] ^ key[1], a & MASK]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return counter


def word(seed, number, rounds=10):
    """Word `number` of the stream `seed`, as the library's RandomState documents it."""
    key = [seed & MASK, seed >> 32]
    block = [number >> 2 & MASK, number >> 34, 0]
    high = philox([*block, 0], key, rounds)[number & 3]
    low = philox([*block, 1 << 28], key, rounds)[number & 3]
    return high << 32 | low


@pytest.mark.parametrize("rounds", [7, 10])
@pytest.mark.parametrize(("seed", "offset"), [(7, 0), (2**64 - 1, 5), (1 << 40, 2**34 + 3)])
def test_samples_are_those_of_the_documented_words(rounds, seed, offset):
    """Rows of equal weights have no alias: word w gives item floor(w N / 2^64)."""
    items = 1000
    sampler = Sampler(np.ones(items), rounds=rounds)
    expected = [word(seed, offset + k, rounds) * items >> 64 for k in range(50)]
    assert sampler.draw(50, seed=seed, offset=offset).tolist() == expected


def chi_squared_p_value(counts, probabilities):
    """The p-value of Pearson's statistic, with Wilson and Hilferty's normal approximation."""
    expected = probabilities * counts.sum()
    used = expected > 0
    assert not counts[~used].any()
    freedom = used.sum() - 1
    statistic = ((counts[used] - expected[used]) ** 2 / expected[used]).sum()
    z = ((statistic / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / math.sqrt(2 / (9 * freedom))
    return 0.5 * math.erfc(z / math.sqrt(2))


@pytest.mark.parametrize("family", ["uniform", "power law", "ramp", "one heavy", "two"])
def test_frequencies(family):
    """False alarms: 1e-6 for each family. A bias of 5% for every other item is found."""
    weights = {"uniform": np.ones(100), "power law": 1 / np.arange(1, 300),
               "ramp": np.arange(50), "one heavy": np.r_[np.ones(63), 1e3],
               "two": np.array([1, 3])}[family]
    probabilities = weights / weights.sum()
    counts = Sampler(weights).histogram(4_000_000, seed=11)
    assert counts.sum() == 4_000_000
    assert chi_squared_p_value(counts, probabilities) > 1e-6
    biased = Sampler(weights * np.resize([1, 1.05], weights.size)).histogram(4_000_000, seed=11)
    assert chi_squared_p_value(biased, probabilities) < 1e-6


def test_zero_weights_are_never_drawn(weights):
    counts = Sampler(weights).histogram(10**6, seed=3)
    assert [count == 0 for count in counts] == [False, True, False, True, False, True, False]


def test_draw_continues_its_own_stream():
    sampler = Sampler([1, 2, 3], seed=7)
    parts = [sampler.draw(5), sampler.draw((2, 3)).ravel(), sampler.draw(0), sampler.draw(1)]
    assert sampler.offset == 12
    assert np.array_equal(np.concatenate(parts), sampler.draw(12, seed=7))
    sampler.offset = 5
    assert np.array_equal(sampler.draw(6), parts[1])
    again = Sampler([1, 2, 3], seed=sampler.seed)
    assert np.array_equal(again.draw(5), parts[0])


def test_an_omitted_seed_comes_from_entropy():
    one, other = Sampler([1, 2, 3]), Sampler([1, 2, 3])
    assert one.seed != other.seed
    assert not np.array_equal(one.draw(100), other.draw(100))
    assert not np.array_equal(choice([1, 2, 3], 100), choice([1, 2, 3], 100))


def test_seeds_of_numpy():
    def draw(seed):
        return Sampler(np.ones(10**6)).draw(4, seed=seed).tolist()

    generator = np.random.default_rng(5)
    first, second = draw(generator), draw(generator)
    assert first != second
    assert draw(np.random.default_rng(5)) == first
    sequence = np.random.SeedSequence(5)
    assert draw(sequence) == draw(np.random.SeedSequence(5))
    # All 64 bits are used.
    assert draw(sequence) == draw(int(sequence.generate_state(1, np.uint64)[0]))
    word = np.random.default_rng(5).integers(1 << 64, dtype=np.uint64)
    assert word >> np.uint64(32) > 0
    assert first == draw(int(word))
    assert draw(np.uint64(2**64 - 1)) == draw(2**64 - 1)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", np.int32, np.dtype("i8"),
                                   int])
@pytest.mark.parametrize("samples", [0, 1, 255, 4097, 200_001])
def test_dtype_and_out(dtype, samples):
    sampler = Sampler([1, 2, 3, 4])
    result = sampler.draw(samples, seed=7, dtype=dtype)
    assert result.dtype == np.dtype(dtype)
    assert np.array_equal(result, sampler.draw(samples, seed=7))
    room = np.full(samples + 2, 77, dtype)
    assert sampler.draw(seed=7, out=room[1:-1]).base is room
    assert np.array_equal(room[1:-1], result)
    assert room[0] == room[-1] == 77


def test_out_of_several_dimensions():
    out = np.empty((3, 4), np.int32)
    assert Sampler([1, 2]).draw((3, 4), seed=1, out=out) is out
    assert np.array_equal(out.ravel(), Sampler([1, 2]).draw(12, seed=1))
    assert Sampler([1, 2]).draw((), seed=1).shape == ()
    assert Sampler([1, 2]).draw([2, 3], seed=1).shape == (2, 3)


@pytest.mark.parametrize("size", [1, 2, 3, 4095, 4096, 4097, 1 << 16])
def test_sizes_of_tables(size):
    sampler = Sampler(np.arange(1, size + 1))
    assert len(sampler) == size
    assert sampler.draw(1000, seed=1).max() < size
    assert sampler.probabilities() == pytest.approx(np.arange(1, size + 1) * (2 / size / (size + 1)),
                                                    rel=1e-5)


CONVERTED = {
    "list": [1, 0, 2.5, 4],
    "tuple": (1, 0, 2.5, 4),
    "float16": np.array([1, 0, 2.5, 4], np.float16),
    "float32": np.array([1, 0, 2.5, 4], np.float32),
    "longdouble": np.array([1, 0, 2.5, 4], np.longdouble),
    "big-endian": np.array([1, 0, 2.5, 4], ">f8"),
    "strided": np.array([1, 9, 0, 9, 2.5, 9, 4, 9])[::2],
    "reversed": np.array([4, 2.5, 0, 1])[::-1],
    "ten times int8": np.array([10, 0, 25, 40], np.int8),
    "ten times uint64": np.array([10, 0, 25, 40], np.uint64),
    "ten times big-endian int64": np.array([10, 0, 25, 40], ">i8"),
    "ten times int64": np.array([10, 9, 0, 9, 25, 9, 40, 9], np.int64)[::2],
    "unaligned": np.frombuffer(b"x" + np.array([1, 0, 2.5, 4]).tobytes(), np.float64, 4, 1),
    "matrix column": np.array([[1, 9], [0, 9], [2.5, 9], [4, 9]])[:, 0],
}


@pytest.mark.parametrize("name", CONVERTED)
def test_weights_of_other_types_are_converted(name):
    expected = Sampler(np.array([1, 0, 2.5, 4]))
    sampler = Sampler(CONVERTED[name])
    assert np.array_equal(sampler.draw(10_000, seed=7), expected.draw(10_000, seed=7))
    assert np.array_equal(sampler.probabilities(), expected.probabilities())


def test_weights_that_offer_dlpack_alone():
    class Array:
        def __init__(self, values):
            self.values = np.array(values)

        def __dlpack__(self, **arguments):
            return self.values.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    class OnAnotherDevice(Array):
        def __dlpack__(self, **arguments):
            raise BufferError("it is not on the CPU")

    expected = Sampler([1, 0, 2.5]).draw(100, seed=1)
    assert np.array_equal(Sampler(Array([1, 0, 2.5])).draw(100, seed=1), expected)
    kept = Sampler([1.0, 2], keep_weights=True)
    for name, call in (("weights", Sampler), ("indices", lambda array: kept.update(array, [1.0])),
                       ("values", lambda array: kept.update([1], array))):
        with pytest.raises(TypeError, match=f"argument '{name}' is of type OnAnotherDevice, whose "
                                            "memory NumPy cannot read: it is not on the CPU"):
            call(OnAnotherDevice([1]))


def test_bool_weights():
    assert set(Sampler(np.array([True, False, True])).draw(100, seed=1).tolist()) == {0, 2}


@pytest.mark.parametrize(("weights", "error", "message"), [
    ([], ValueError, "argument 'weights' is empty"),
    ([0, 0], ValueError, "all 2 weights are zero"),
    ([1.0, -2.0], ValueError, "weight 1 is negative (-2)"),
    ([1.0, math.nan, -1.0], ValueError, "weight 1 is not a number"),
    ([1.0, 2.0, math.inf], ValueError, "weight 2 is infinite"),
    ([1e308, 1e308], ValueError, "sum"),
    ([1, 2**53 + 1], ValueError, "9007199254740993"),
    ([1, -5], ValueError, "weight 1 is negative (-5)"),
    (np.array([1, 2**64 - 1], np.uint64), ValueError, "18446744073709551615"),
    ([[1, 2], [3, 4]], ValueError, r"argument 'weights' has shape (2, 2); it must have one"),
    (3, ValueError, "argument 'weights' has shape (); it must have one"),
    (None, TypeError, "argument 'weights' is of type NoneType"),
    ({1: 2}.values(), TypeError, "argument 'weights' is of type dict_values; it must be an array"),
    ("abc", TypeError, "argument 'weights' has dtype <U3"),
    (["a", "b"], TypeError, "argument 'weights' has dtype <U1"),
    ([1j, 2], TypeError, "argument 'weights' has dtype complex128"),
    ([1, None], TypeError, "argument 'weights' has dtype object"),
    ([1, 2**70], TypeError, "argument 'weights' has dtype object"),
    ([[1], [2, 3]], ValueError, "argument 'weights' is no array"),
    (np.ma.array([1, 2], mask=[True, False]), TypeError, "argument 'weights' is a masked array"),
])
def test_invalid_weights(weights, error, message):
    with pytest.raises(error, match=re.escape(message)):
        Sampler(weights)
    sampler = Sampler([0, 1])
    with pytest.raises(error, match=re.escape(message)):
        sampler.rebuild(weights)
    assert sampler.draw(3).tolist() == [1, 1, 1]  # the old table is kept


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({}, TypeError, "needs 'size' or 'out'"),
    ({"size": -1}, ValueError, "argument 'size' is -1"),
    ({"size": 1.5}, TypeError, "argument 'size' is 1.5; it must be an integer or a tuple"),
    ({"size": (2, -3)}, ValueError, "argument 'size[1]' is -3"),
    ({"size": (1 << 40, 1 << 40)}, ValueError, "argument 'size' asks for 1208925819614629174706176 samples"),
    ({"size": 3, "seed": -1}, ValueError, "argument 'seed' is -1"),
    ({"size": 3, "seed": 1 << 64}, ValueError, "argument 'seed' is 18446744073709551616"),
    ({"size": 3, "seed": "x"}, TypeError, "argument 'seed' is 'x'; it must be an integer, a NumPy"),
    ({"size": 3, "seed": 1, "offset": -1}, ValueError, "argument 'offset' is -1"),
    ({"size": 3, "offset": 5}, TypeError, "argument 'offset' needs a 'seed'"),
    ({"size": 3, "dtype": "float32"}, TypeError, "argument 'dtype' is 'float32'; it must be one of"),
    ({"size": 3, "dtype": "abc"}, TypeError, "argument 'dtype' is 'abc'"),
    ({"size": 3, "dtype": np.int16}, TypeError, "argument 'dtype' is <class 'numpy.int16'>"),
    ({"size": 3, "dtype": ">i4"}, TypeError, "argument 'dtype' is '>i4'"),
    ({"out": [1, 2]}, TypeError, "argument 'out' is of type list"),
    ({"out": np.empty(3)}, TypeError, "argument 'out' has dtype float64"),
    ({"out": np.empty(3, ">i4")}, TypeError, "argument 'out' has dtype >i4"),
    ({"out": np.empty(6, np.int32)[::2]}, ValueError, "argument 'out' is not contiguous"),
    ({"out": np.frombuffer(bytes(8), np.int32)}, ValueError, "argument 'out' is read-only"),
    ({"out": np.zeros(9, np.uint8)[1:].view(np.int64)}, ValueError, "argument 'out' is not aligned"),
    ({"size": 4, "out": np.empty(3, np.int32)}, ValueError, "argument 'out' has shape (3,)"),
    ({"out": np.ma.array([1, 2])}, TypeError, "argument 'out' is a masked array"),
    ({"out": np.empty(3, np.int32), "dtype": "int32"}, TypeError, "not both"),
])
def test_invalid_arguments_of_draw(arguments, error, message):
    sampler = Sampler([1, 2], seed=1)
    with pytest.raises(error, match=re.escape(message)):
        sampler.draw(**arguments)
    assert sampler.offset == 0


@pytest.mark.skipif(wrsgpu.has_cuda, reason="this build of wrsgpu has CUDA")
@pytest.mark.parametrize("call", [
    Sampler, wrsgpu.resample, lambda array: choice(array, 2, replace=False),
    lambda array: wrsgpu.SegmentedSampler([0, 3], array),
    lambda array: wrsgpu.sample_without_replacement(9, 3, like=array)])
def test_arrays_on_a_gpu_need_cuda(call):
    class OnGpu:
        shape = (3,)
        __cuda_array_interface__ = {"shape": shape, "typestr": "<f4", "data": (4096, False),
                                    "version": 3}

    with pytest.raises(RuntimeError, match="this build of wrsgpu has no CUDA"):
        call(OnGpu())


def test_invalid_options():
    for options, message in (({"order": "sorted"}, "argument 'order' is 'sorted'"),
                             ({"order": np.zeros(2)}, "argument 'order' is array([0., 0.])"),
                             ({"rounds": 8}, "argument 'rounds' is 8"),
                             ({"rounds": -1}, "argument 'rounds' is -1; it must be 7 or 10"),
                             ({"threads": -1}, "argument 'threads' is -1")):
        with pytest.raises(ValueError, match=re.escape(message)):
            Sampler([1, 2], **options)
    for rounds in (7.0, "7", [7]):
        with pytest.raises(TypeError, match="argument 'rounds' is .*; it must be 7 or 10"):
            Sampler([1, 2], rounds=rounds)


def test_invalid_places_in_the_own_stream():
    sampler = Sampler([1, 2], seed=3)
    for name in ("seed", "offset"):
        for value, error in ((-1, ValueError), (1 << 64, ValueError), ("a", TypeError)):
            with pytest.raises(error, match=f"argument '{name}' is"):
                setattr(sampler, name, value)
    assert (sampler.seed, sampler.offset) == (3, 0)


def test_like_is_an_array():
    for call in (lambda: wrsgpu.random_state(7, like="cuda"),
                 lambda: Sampler.load(os.devnull, like="cuda"),
                 lambda: wrsgpu.sample_without_replacement(10, 3, like="cuda")):
        with pytest.raises(TypeError, match="argument 'like' is 'cuda'; it must be an array"):
            call()
    with pytest.raises(AttributeError, match="has no attribute 'numpy'"):
        wrsgpu.numpy  # noqa: B018


def test_out_of_memory():
    with pytest.raises(MemoryError):
        Sampler([1, 2]).draw(1 << 50)


@pytest.mark.parametrize("samples", [0, 1, 1 << 20, 3_000_001])
def test_histogram_counts_the_samples(weights, samples):
    sampler = Sampler(weights, seed=5)
    expected = np.bincount(sampler.draw(samples), minlength=len(weights))
    sampler.offset = 0
    assert np.array_equal(sampler.histogram(samples), expected)
    assert sampler.offset == samples
    out = np.full(len(weights), 99, np.uint64)
    assert sampler.histogram(samples, seed=5, out=out) is out
    assert np.array_equal(out, expected)


def test_histogram_rejects_invalid_arguments():
    sampler = Sampler([1, 2])
    for out, error in ((np.empty(3, np.int64), ValueError), (np.empty(2, np.int32), TypeError)):
        with pytest.raises(error, match="argument 'out' has"):
            sampler.histogram(10, out=out)
    with pytest.raises(ValueError, match="argument 'samples' is -1"):
        sampler.histogram(-1)


def test_probabilities(weights):
    sampler = Sampler(weights)
    total = sum(weights)
    np.testing.assert_allclose(sampler.probabilities(), [w / total for w in weights],
                               rtol=6e-8, atol=1e-9)  # half an ulp of float32, and of masses
    samples, probabilities = sampler.draw((3, 50), seed=1, return_probabilities=True)
    assert np.array_equal(probabilities, sampler.probabilities()[samples])
    with pytest.raises(ValueError, match="read-only"):
        sampler.probabilities()[0] = 1
    assert sampler.probabilities() is sampler.probabilities()
    sampler.rebuild([1, 3])
    assert sampler.probabilities().tolist() == [0.25, 0.75]


def test_a_failed_rebuild_keeps_a_table_that_others_see():
    sampler = Sampler([1, 2, 3, 4], keep_weights=True)
    expected = sampler.draw(100, seed=3)
    sampler._exported = True  # as wrsgpu.torch.table does: its memory must not move
    with pytest.raises(ValueError, match="nan"):
        sampler.rebuild([math.nan, 1])
    assert len(sampler) == 4
    assert np.array_equal(sampler.draw(100, seed=3), expected)
    sampler.update([0], [2.0])  # its weights are kept, too
    sampler.rebuild([0, 1])
    assert sampler.draw(3).tolist() == [1, 1, 1]


def test_a_rebuild_from_as_many_weights_keeps_the_memory_of_the_table():
    """On which wrsgpu.torch.table relies."""
    sampler = Sampler(np.arange(1000))
    rows = sampler._core.rows()
    sampler.rebuild(np.ones(1000))
    assert sampler._core.rows() == rows
    samples = np.empty(50, np.int64)
    _core.draw_from_table(rows, 1000, samples.__array_interface__["data"][0], 50, 7, 3)
    assert np.array_equal(samples, sampler.draw(50, seed=7, offset=3))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_updates_of_single_weights(dtype):
    weights = np.arange(1000, dtype=dtype)
    sampler = Sampler(weights, keep_weights=True)
    sampler.update([5, 999, 5], [0, 1e6, 2.5])  # the last one of equal indices counts
    changed = weights.astype("float32" if dtype == "float32" else "float64")
    changed[[5, 999]] = 2.5, 1e6
    np.testing.assert_array_equal(sampler.draw(1000, seed=1), Sampler(changed).draw(1000, seed=1))
    np.testing.assert_array_equal(sampler.probabilities(), Sampler(changed).probabilities())
    sampler.update(np.array([0], np.uint32), [7])
    changed[0] = 7
    np.testing.assert_array_equal(sampler.draw(1000, seed=1), Sampler(changed).draw(1000, seed=1))


@pytest.mark.parametrize("indices, values, error, message", [
    ([3], [1], ValueError, "index 0 is 3"),
    ([1, -1], [1, 2], ValueError, "'indices': element 1 is -1, which is not between 0 and"),
    ([0, 2**31], [1, 2], ValueError, "index 1 is 2147483648"),
    ([0, 2**32], [1, 2], ValueError, "'indices': element 1 is 4294967296"),
    ([[0, 1]], [1, 2], ValueError, r"'indices' has shape \(1, 2\)"),
    ([0], [[1]], ValueError, r"'values' has shape \(1, 1\)"),
    ([0], ["a"], TypeError, "'values' has dtype <U1"),
    ([0], [1j], TypeError, "'values' has dtype complex128"),
    ([0, 1], [1, -2], ValueError, "negative"),
    ([0, 1, 2], [0, 0, 0], ValueError, "'values': with them all 3 weights are zero"),
    ([0, 1], [1e308, 1e308], ValueError, "'values': with them the sum of all 3 overflows"),
    ([0, 1], [1], ValueError, "1 elements; there are 2 indices"),
    ([0.5], [1], TypeError, "must have integers"),
    ([0, 1], [[1], [2, 3]], ValueError, "'values' is no array"),
    ([0], {1}, TypeError, "'values' is of type set"),
    ([0, 1], np.ma.array([1, 2], mask=[True, False]), TypeError, "'values' is a masked array"),
    (np.ma.array([0, 1], mask=[True, False]), [1, 2], TypeError, "'indices' is a masked array"),
    ([1, 0], [1, 2**53 + 1], ValueError, "'values': element 1 is 9007199254740993, which float64"),
    ([0], [2**70], TypeError, "'values' has dtype object"),
])
def test_updates_that_are_refused_change_nothing(indices, values, error, message):
    sampler = Sampler([1, 2, 3], keep_weights=True)
    with pytest.raises(error, match=message):
        sampler.update(indices, values)
    np.testing.assert_array_equal(sampler.draw(100, seed=1), Sampler([1, 2, 3]).draw(100, seed=1))


@pytest.mark.parametrize(("values", "kept"), [
    ([0.1, 3], np.array([0.1, 3], np.float32)),  # numbers without a type are rounded
    ([1e-320, 2**24], None),
    ([1, 2**24 + 1], None),
    ([0.5, 1e39], None),
    (np.array([0.5, 2.0**24]), np.array([0.5, 2**24], np.float32)),
    (np.array([0.5, 0.1]), None),
    (np.array([3, 2**24 + 1]), None),
    (np.array([3, 2**24 + 2], np.uint64), np.array([3, 2**24 + 2], np.float32)),
    (np.array([3, 0.1], np.float16), np.array([3, 0.1], np.float16)),
])
def test_updates_in_the_type_of_the_kept_weights(values, kept):
    """Weights of float32 are not rounded silently, as the constructor would not."""
    weights = np.array([1, 2, 3], np.float32)
    sampler = Sampler(weights, keep_weights=True)
    if kept is None:
        with pytest.raises(ValueError, match=r"'values': element [01] is .*, which float32, the type"):
            sampler.update([2, 0], values)
    else:
        sampler.update([2, 0], values)
        weights[[2, 0]] = kept
    assert np.array_equal(sampler.choose(3, seed=1), choice(weights, 3, replace=False, seed=1))
    assert np.array_equal(sampler.probabilities(), Sampler(weights).probabilities())


def test_updates_after_a_rebuild_in_another_type():
    sampler = Sampler(np.ones(2, np.float32), keep_weights=True)
    sampler.rebuild(np.array([1.0, 2, 3]))
    sampler.update([0], [0.1])
    assert np.array_equal(sampler.choose(3, seed=1),
                          choice([0.1, 2, 3], 3, replace=False, seed=1))
    assert np.array_equal(sampler.probabilities(), Sampler([0.1, 2, 3]).probabilities())


def test_a_rebuild_that_waits_has_no_stream():
    sampler, segments = Sampler([1, 2]), wrsgpu.SegmentedSampler([0, 2], [1, 2])
    for call in (sampler.rebuild, lambda weights, **more: segments.rebuild([0, 1], weights, **more)):
        with pytest.raises(TypeError, match="argument 'stream' needs check=False"):
            call([1], stream=0)
        call([1], stream=0, check=False)  # on the CPU the same as without a stream
    assert (len(sampler), len(segments)) == (1, 1)


def test_choices_by_kept_weights():
    sampler = Sampler([5, 0, 2, 3.5], keep_weights=True, seed=3)
    sampler.update([0, 1], [0, 1])
    assert sorted(sampler.choose((3, 1)).ravel()) == [1, 2, 3]
    assert sampler.offset == 4
    assert sampler.choose(0).size == 0  # and uses no words
    assert sampler.choose(2, seed=5).tolist() == choice(
        [0, 1, 2, 3.5], 2, replace=False, seed=5).tolist()
    assert sampler.choose(2, seed=5, dtype="int32").dtype == np.int32
    assert sampler.offset == 4
    for size, message in ((4, "argument 'size': 4 items .* only 3 weights are positive"),
                          (5, "argument 'size' is 5"), (-1, "is -1")):
        with pytest.raises(ValueError, match=message):
            sampler.choose(size)
    with pytest.raises(ValueError, match="argument 'out': 4 items"):
        sampler.choose(out=np.empty(4, np.int64))
    with pytest.raises(ValueError, match="keeps no weights"):
        Sampler([1, 2]).choose(1)


def test_distinct_draws_by_the_table_alone():
    sampler = Sampler([5, 0, 2, 3.5], seed=3)
    assert sampler.draw_distinct(0).size == 0
    for seed in range(20):
        drawn = sampler.draw(200, seed=seed).tolist()
        expected = sorted(set(drawn), key=drawn.index)
        assert sampler.draw_distinct((3, 1), seed=seed).ravel().tolist() == expected
        assert sampler.draw_distinct(2, seed=seed, dtype="int32").tolist() == expected[:2]
    assert sampler.offset == 0
    for _ in range(5):  # continues the sampler's own stream where the third one came
        begin, drawn = sampler.offset, sampler.draw(200, seed=3, offset=sampler.offset).tolist()
        items = sampler.draw_distinct(3).tolist()
        assert sampler.offset == begin + drawn.index(items[-1]) + 1
    for size, message in ((4, "argument 'size': .* fewer than 4 different items"),
                          (5, "argument 'size' is 5"), (-1, "is -1")):
        with pytest.raises(ValueError, match=message):
            sampler.draw_distinct(size)
    with pytest.raises(ValueError, match="argument 'out': .* fewer than 4 different items"):
        sampler.draw_distinct(out=np.empty(4, np.int64))
    with pytest.raises(TypeError, match="'offset' needs a 'seed'"):
        sampler.draw_distinct(1, offset=3)


def test_draws_that_fail_use_no_words():
    """Neither of a state nor of the sampler's own stream, whatever is found only while drawing."""
    sampler = Sampler([1, 2, 0], keep_weights=True, seed=1)
    segments = wrsgpu.SegmentedSampler([0, 1, 2], [1, 1], seed=1)
    state = wrsgpu.random_state(7)
    sampler.draw(5, state=state)
    for call in (lambda **more: sampler.choose(3, **more),
                 lambda **more: sampler.draw_distinct(3, **more),
                 lambda **more: choice([1, 0], 2, replace=False, **more),
                 lambda **more: wrsgpu.resample([0.0, 0], 5, **more),
                 lambda **more: wrsgpu.multinomial_counts([1, -1.0], 5, **more)):
        for more in ({}, {"state": state}):
            with pytest.raises(ValueError, match="argument '(size|weights)'"):
                call(**more)
    assert state.tolist() == [7, 5]
    assert sampler.offset == 0
    with pytest.raises(ValueError, match="argument 'segments'"):
        segments.draw([0, 2], 3)
    assert segments.offset == 0
    sampler.choose(2)
    sampler.choose(2, state=state)
    segments.draw([0, 1], 3)
    assert (sampler.offset, state.tolist(), segments.offset) == (3, [7, 8], 6)


def test_threads_share_a_stream_with_draws_that_fail():
    """Words that a failed draw returns are not those that another thread has taken meanwhile."""
    sampler, failing = Sampler(np.ones(1 << 20)), Sampler([1, 1, 0], keep_weights=True)
    state = wrsgpu.random_state(3)
    results = []

    def draw():
        for _ in range(300):
            results.append(tuple(sampler.draw(3, state=state)))
            with pytest.raises(ValueError, match="positive"):
                failing.choose(3, state=state)

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1200
    assert int(state[1]) >= 3600
    assert int(state[1]) % 3 == 0


def test_finish_after_what_the_cpu_checked_at_once():
    """The same calls as on a GPU; where there is nothing to finish it is an error on both."""
    sampler = Sampler([1, 2], keep_weights=True)
    segments = wrsgpu.SegmentedSampler([0, 2], [1, 2])
    for call in (sampler.finish, segments.finish):
        with pytest.raises(ValueError, match="finish: no rebuild"):
            call()
    for change in (lambda **more: sampler.rebuild([0, 1], **more),
                   lambda **more: sampler.update([0], [3], **more)):
        change(check=False)
        sampler.finish()
        change()
    segments.rebuild([0, 1], [1], check=False)
    segments.finish()
    sampler.rebuild([1, 1])
    segments.rebuild([0, 1], [1])
    for call in (sampler.finish, segments.finish):
        with pytest.raises(ValueError, match="finish: no rebuild"):
            call()


def test_arrays_where_one_value_is_expected():
    two, state = np.array([1, 2]), wrsgpu.random_state(1)
    sampler = Sampler([1, 2], keep_weights=True)
    for name, call in (
            ("scheme", lambda: wrsgpu.resample([1, 2], scheme=two)),
            ("keep_weights", lambda: Sampler([1, 2], keep_weights=two)),
            ("keep_weights", lambda: wrsgpu.SegmentedSampler([0, 2], [1, 2], keep_weights=two)),
            ("allow_fewer", lambda: sampler.choose(2, allow_fewer=two)),
            ("allow_fewer", lambda: choice([1, 2], 2, replace=False, allow_fewer=two)),
            ("offset", lambda: sampler.draw(2, offset=two)),
            ("offset", lambda: sampler.draw(2, offset=two, state=state)),
            ("offset", lambda: sampler.draw_distinct(2, offset=two))):
        with pytest.raises(TypeError, match=rf"argument '{name}' is array\(\[1, 2\]\)"):
            call()
    assert sampler.draw(2, offset=np.int64(0)).size == 2


def test_updates_need_the_weights():
    with pytest.raises(ValueError, match="keep_weights"):
        Sampler([1, 2, 3]).update([0], [1])


def test_rebuild():
    sampler = Sampler([1, 2], seed=3)
    sampler.draw(5)
    sampler.rebuild(np.arange(100))
    assert len(sampler) == 100
    assert sampler.offset == 5
    assert np.array_equal(sampler.draw(50), Sampler(np.arange(100)).draw(55, seed=3)[5:])


def test_save_and_load(tmp_path, weights):
    file = tmp_path / "äöü.table"
    sampler = Sampler(weights)
    sampler.save(file)
    loaded = Sampler.load(str(file), seed=4)
    assert (len(loaded), loaded.seed) == (len(weights), 4)
    assert np.array_equal(loaded.draw(1000, seed=7), sampler.draw(1000, seed=7))
    assert np.array_equal(loaded.probabilities(), sampler.probabilities())
    with pytest.raises(FileNotFoundError):
        Sampler.load(tmp_path / "none")
    with pytest.raises(OSError, match="cannot save the table"):
        sampler.save(tmp_path / "none" / "table")
    assert np.array_equal(Sampler.load(os.fsencode(file), rounds=7).draw(1000, seed=7),
                          Sampler(weights, rounds=7).draw(1000, seed=7))
    for name in (str(tmp_path / "table\0"), str(tmp_path / "\udc80")):
        for call in (sampler.save, Sampler.load):
            with pytest.raises(ValueError, match="argument 'file' is"):
                call(name)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    with open(file, "rb") as opened:
        for call in (sampler.save, Sampler.load):
            with pytest.raises(TypeError, match="argument 'file' is .*; it must be a path"):
                call(opened.fileno())
        assert opened.read(1)  # it has not been closed
    file.write_bytes(b"something else")
    with pytest.raises(ValueError, match="table file"):
        Sampler.load(file)


def test_choice():
    assert choice([0, 1, 0]) == 1
    assert isinstance(choice([0, 1, 0]), int)
    assert choice([1, 2, 3], (2, 3), seed=1, dtype="int32").dtype == np.int32
    assert np.array_equal(choice([1, 2, 3], 9, seed=1), Sampler([1, 2, 3]).draw(9, seed=1))


def test_choice_without_replacement():
    """Frequencies of ordered pairs: 6 sigma of one of 6."""
    weights = [1, 2, 3]
    generator = np.random.default_rng(8)
    pairs = [tuple(choice(weights, 2, replace=False, seed=generator)) for _ in range(20_000)]
    for first in range(3):
        for second in {0, 1, 2} - {first}:
            p = weights[first] / 6 * weights[second] / (6 - weights[first])
            sigma = (20_000 * p * (1 - p)) ** 0.5
            assert abs(pairs.count((first, second)) - 20_000 * p) < 6 * sigma
    many = np.ones(100_000)
    chosen = choice(many, 1000, replace=False, seed=1)
    assert chosen.dtype == np.int64
    assert np.unique(chosen).size == 1000
    assert np.array_equal(choice(many, 10, replace=False, seed=1), chosen[:10])
    assert choice(many, (2, 5), False, seed=1, dtype="int32").tolist() == chosen[:10].reshape(
        2, 5).tolist()
    assert choice([0, 1], replace=False) == 1
    for yes in (1, np.True_):  # what is no bool is taken for one, as in NumPy
        assert choice([0, 1], 2, replace=not yes, allow_fewer=yes).tolist() == [1]
        assert Sampler([0, 1], keep_weights=yes).choose(2, allow_fewer=yes).tolist() == [1]
    assert choice(many, 0, replace=False).size == 0
    for values, size, message in (([1, 2], 3, "argument 'size' is 3; without replacement"),
                                  ([1, 0], 2, "positive"), ([1, -1], 1, "weight 1 is negative")):
        with pytest.raises(ValueError, match=message):
            choice(values, size, replace=False)


def test_sums_that_overflow():
    """Are an error where a table of all weights is built, and nowhere else."""
    weights = np.full(4, 1e308)
    for call in (Sampler, lambda w: choice(w, 2), wrsgpu.resample,
                 lambda w: wrsgpu.multinomial_counts(w, 5)):
        with pytest.raises(ValueError, match="argument 'weights': the sum of all 4 overflows"):
            call(weights)
    assert sorted(choice(weights, 4, replace=False)) == [0, 1, 2, 3]
    counts = np.bincount(wrsgpu.SegmentedSampler([0, 4], weights).draw([0], 4000)[0], minlength=4)
    assert np.all(np.abs(counts - 1000) < 6 * 750**0.5)


def test_draws_from_rows():
    """On which wrsgpu.torch.multinomial relies; frequencies of ordered pairs: 6 sigma of one of 18."""
    rows = 100_000
    weights = np.broadcast_to(np.array([1.0, 2, 3]), (rows, 3))
    for replace in (True, False):
        first, second = draw_from_rows(weights, 2, replace, 1).T
        counts = np.bincount(3 * first + second, minlength=9)
        for a in range(3):
            for b in range(3):
                p = (a + 1) / 6 * ((b + 1) / 6 if replace else (b + 1) / (5 - a) * (a != b))
                assert abs(counts[3 * a + b] - rows * p) <= 6 * (rows * p * (1 - p)) ** 0.5


def test_samplers_are_not_copied_silently():
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither pickled nor copied"):
            attempt(Sampler([1, 2]))
    assert repr(Sampler([1, 2], seed=3)) == "<wrsgpu.Sampler of 2 items on the CPU, seed 3>"


def test_threads_share_a_sampler():
    """Draws on several threads use distinct parts of the stream, while another one rebuilds."""
    sampler = Sampler(np.ones(50_000), seed=1)
    results = []

    def draw():
        for _ in range(50):
            results.append(sampler.draw(1000))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        sampler.rebuild(np.ones(50_000))
    for thread in threads:
        thread.join()
    assert sampler.offset == 200_000
    expected = sampler.draw(200_000, seed=1).reshape(-1, 1000)
    assert sorted(map(tuple, results)) == sorted(map(tuple, expected))


def test_probabilities_are_of_the_table_of_the_samples():
    """And counts of its size, while another thread rebuilds and updates."""
    tables = [np.array([1000.0, 1, 1]), np.array([1, 3000.0, 1, 1, 1])]
    sampler = Sampler(tables[0], seed=1, keep_weights=True)
    expected = [Sampler(table).probabilities() for table in tables]
    wrong = []
    done = threading.Event()

    def draw():
        while not done.is_set():
            try:
                samples, probabilities = sampler.draw(50, return_probabilities=True)
                heavy = int(np.argmax(np.bincount(samples)))
                if not np.array_equal(probabilities, expected[heavy][samples]):
                    wrong.append("probabilities")
                if sampler.histogram(50).sum() != 50 or len(sampler.probabilities()) not in (3, 5):
                    wrong.append("size")
            except (IndexError, ValueError) as error:
                wrong.append(str(error))

    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    for change in range(1000):
        sampler.rebuild(tables[change // 2 % 2])
        sampler.update([2], [1])  # the weight that it has
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_share_a_stream_for_distinct_draws():
    """That of the sampler, and a state: how many words are used is known only after a draw."""
    sampler, state = Sampler(np.arange(1, 500), seed=1), wrsgpu.random_state(2)
    for more, own in (({}, {}), ({"state": state}, {"state": wrsgpu.random_state(2)})):
        results = []

        def draw(results=results, more=more):
            for _ in range(50):
                results.append(tuple(sampler.draw_distinct(200, **more)))

        threads = [threading.Thread(target=draw) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sampler.offset = 0
        assert sorted(results) == sorted(tuple(sampler.draw_distinct(200, **own))
                                         for _ in range(200))


def test_the_interpreter_goes_on_during_a_build():
    weights = np.ones(1 << 24, np.float32)
    build = threading.Thread(target=Sampler, args=(weights,))
    build.start()
    turns = 0
    while build.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 5


INTERRUPTED = """
import os, signal, sys, threading, numpy, wrsgpu
weights = numpy.ones(1 << 26, numpy.float32)
out = numpy.empty(1 << 28, numpy.uint64)
out[-1] = 7  # what none of the draws gives last
sampler = wrsgpu.Sampler(numpy.ones(3), threads=1)
one_item = wrsgpu.Sampler(numpy.append(1, numpy.zeros(10**6)))
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
work = {"build": lambda: sampler.rebuild(weights),
        "draw": lambda: sampler.draw(out=out),
        "histogram": lambda: sampler.histogram(1 << 40),
        "distinct": lambda: one_item.draw_distinct(10**6),
        "resample": lambda: wrsgpu.resample(numpy.ones(1000), 10**8, "multinomial", seed=1),
        "permutation": lambda: wrsgpu.sample_without_replacement(1 << 40, out=out, seed=1,
                                                                 threads=1)}[sys.argv[1]]
try:
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    work()
except KeyboardInterrupt as interrupt:
    assert len(sampler) < weights.size and out[-1] == 7, "it was interrupted at its end"
    assert interrupt.__context__ is None, "as it was when it failed, of too few different items"
    sampler.rebuild([0, 1])
    print("interrupted, then", *sampler.draw(3))
"""


@pytest.mark.parametrize("work", ["build", "draw", "histogram", "distinct", "resample",
                                  "permutation"])
def test_ctrl_c(work):
    """Each takes a second or more on one thread of any machine, and is not finished."""
    result = subprocess.run([sys.executable, "-c", INTERRUPTED, work], capture_output=True,
                            text=True, timeout=60, check=False)
    assert result.stdout == "interrupted, then 1 1 1\n", result.stderr


def test_ctrl_c_leaves_no_lock():
    """At whatever place of a call that reads the table twice, or changes it."""
    script = """if True:
        import random, signal, threading
        import wrsgpu
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        sampler = wrsgpu.Sampler([1] * 9, keep_weights=True)
        for _ in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-4 + random.random() / 1000)
                while True:
                    sampler.draw(5, return_probabilities=True)
                    sampler.update([1], [2])
            except KeyboardInterrupt:
                pass
        others = [threading.Thread(target=call, args=(argument,), daemon=True)
                  for call, argument in ((sampler.rebuild, [1] * 10), (sampler.draw, 5))]
        for other in others:
            other.start()
        for other in others:
            other.join(30)
            assert not other.is_alive()
        """
    subprocess.run([sys.executable, "-c", script], check=True, timeout=100)


def test_forked_processes():
    sampler = Sampler(np.ones(1 << 20), seed=1)
    child = os.fork()
    if child == 0:
        ok = sampler.draw(200_000, seed=9).sum() == sum_expected(sampler)
        os._exit(0 if ok else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def sum_expected(sampler):
    return sum(int(sampler.draw(50_000, seed=9, offset=k).sum()) for k in range(0, 200_000, 50_000))


def test_import_needs_no_gpu_and_no_library():
    """Nor does it import what it does not need."""
    code = ("import sys, wrsgpu; wrsgpu.Sampler([1, 2]).draw(3); "
            "print(*[m for m in ('torch', 'cupy', 'jax') if m in sys.modules])")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, check=True)
    assert result.stdout == "\n"
    assert wrsgpu.__version__ == "0.2.0"


@pytest.mark.skipif(not wrsgpu.has_cuda, reason="this build of wrsgpu has no CUDA")
def test_without_a_visible_gpu_there_is_a_reason():
    code = """
from wrsgpu import _core
assert _core.device_count() == 0
sampler = _core.GpuSampler(0, False, 10, 0, False)
try:
    sampler.rebuild(0, 3, "float32", True)
except RuntimeError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, check=True)
    assert "CUDA" in result.stdout
