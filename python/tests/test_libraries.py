"""What all array libraries have in common, on each kind of device, compared with NumPy."""

import functools
import itertools
import re

import numpy as np
import pytest

import wrsgpu
from wrsgpu import Sampler
from wrsgpu._libraries import library_of


def has_64_bits(case):
    return case.library != "jax" or case.module.config.jax_enable_x64


def expect(case, result, expected):
    """An array of the case's library, on its device, with these values."""
    assert isinstance(result, case.array_type)
    assert case.current_device(result) == case.device
    assert np.array_equal(case.numpy(result), expected)


@pytest.mark.parametrize("items", [1, 2, 3, 2047, 2048, 2049, 100_003])
def test_samples_are_those_of_numpy(case, items):
    values = np.random.default_rng(items).random(items, np.float32)
    sampler, expected = Sampler(case.array(values), seed=7), Sampler(values, seed=7)
    for size in (1, 5, (3, 4), 2049, 100_000):
        samples = sampler.draw(size)
        assert samples.dtype == case.array([0], "int64").dtype
        expect(case, samples, expected.draw(size))
    assert sampler.offset == expected.offset
    expect(case, sampler.draw(100, seed=3, offset=5), expected.draw(100, seed=3, offset=5))
    assert sampler.draw(0).shape == (0,)


WEIGHTS = [1, 0, 2.5, 4, 100.5]


@pytest.mark.parametrize(("dtype", "scale"), [
    ("float16", 1), ("float32", 1), ("float64", 1), ("bfloat16", 1), ("int8", 1), ("uint8", 2),
    ("int16", 2), ("int32", 2), ("int64", 2), ("uint32", 2), ("uint64", 2), ("bool", 1)])
def test_types_of_weights(case, dtype, scale):
    if dtype == "bfloat16" and case.library in ("numpy", "cupy"):
        pytest.skip(f"{case.library} has no bfloat16")
    if dtype == "bool":
        values = np.array(WEIGHTS) > 0
    elif dtype == "bfloat16":
        values = np.array(WEIGHTS)
    else:
        values = (np.array(WEIGHTS) * scale).astype(dtype)
    result = Sampler(case.array(values, dtype)).draw(1000, seed=1)
    expect(case, result, Sampler(values.astype(float)).draw(1000, seed=1))


def test_strided_weights(case):
    matrix = np.arange(12, dtype=np.float32).reshape(4, 3)
    for view in (lambda m: m[:, 1], lambda m: m[1:, 2], lambda m: m.reshape(-1)[::5]):
        result = Sampler(view(case.array(matrix))).draw(1000, seed=1)
        expect(case, result, Sampler(np.array(view(matrix))).draw(1000, seed=1))


@pytest.mark.parametrize(("values", "error", "message"), [
    ([1, -2.0], ValueError, "weight 1 is negative (-2)"),
    ([1, 2, np.nan], ValueError, "weight 2 is not a number"),
    ([np.inf, 2, np.nan], ValueError, "weight 0 is infinite"),
    ([0.0, 0], ValueError, "all 2 weights are zero"),
    (np.zeros(0, np.float32), ValueError, "argument 'weights' is empty"),
    ([[1.0, 2], [3, 4]], ValueError, "argument 'weights' has shape (2, 2)"),
    ([1j], TypeError, "argument 'weights' has dtype"),
])
def test_invalid_weights(case, values, error, message):
    with pytest.raises(error, match=re.escape(message)):
        Sampler(case.array(values))
    sampler = Sampler(case.array([0.0, 1]))
    with pytest.raises(error, match=re.escape(message)):
        sampler.rebuild(case.array(values))
    expect(case, sampler.draw(3), [1, 1, 1])


def test_integers_that_doubles_do_not_represent(case):
    if not has_64_bits(case):
        pytest.skip("JAX has no integers of 64 bits")
    with pytest.raises(ValueError, match="9007199254740993"):
        Sampler(case.array([1, 2**53 + 1]))
    values = [2**53 + 2, 2**60, 5]
    expect(case, Sampler(case.array(values)).draw(100, seed=1),
           Sampler(np.array(values, float)).draw(100, seed=1))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_dtype_and_out(case, dtype):
    if dtype == "int64" and not has_64_bits(case):
        with pytest.raises(TypeError, match="needs 64 bits in JAX"):
            Sampler(case.array(WEIGHTS)).draw(3, dtype=dtype)
        return
    sampler = Sampler(case.array(WEIGHTS))
    result = sampler.draw(1001, seed=1, dtype=dtype)
    assert result.dtype == case.array([0], dtype).dtype
    expect(case, result, Sampler(WEIGHTS).draw(1001, seed=1))
    if case.library == "jax":
        with pytest.raises(TypeError, match="cannot be written"):
            sampler.draw(out=result)
        return
    for shift in range(4):  # every alignment of words and samples
        room = case.array(np.full(1010, 77), dtype)
        out = room[shift:shift + 1001]
        assert sampler.draw(out=out, seed=1) is out
        expected = np.full(1010, 77)
        expected[shift:shift + 1001] = Sampler(WEIGHTS).draw(1001, seed=1)
        expect(case, room, expected)


def test_invalid_out(case):
    if case.library == "jax":
        pytest.skip("arrays of JAX cannot be written")
    sampler = Sampler(case.array(WEIGHTS), seed=1)
    for out, error, message in (
            (case.array([1.0]), TypeError, "argument 'out' has dtype float64"),
            (case.array([1], "int16"), TypeError, "argument 'out' has dtype int16"),
            (case.array([1, 2, 3, 4])[::2], ValueError, "argument 'out' is not contiguous")):
        with pytest.raises(error, match=message):
            sampler.draw(out=out)
    with pytest.raises(ValueError, match=r"argument 'out' has shape \(2,\); it must be \(3,\)"):
        sampler.draw(3, out=case.array([1, 2]))
    if case.on_gpu:
        with pytest.raises(ValueError, match="argument 'out' is on the CPU; it must be on GPU"):
            sampler.draw(out=np.empty(3, np.int64))
    assert sampler.offset == 0


def test_an_out_of_numpy_on_the_cpu(case):
    if case.on_gpu:
        pytest.skip("is for the CPU")
    out = np.empty(100, np.int64)
    Sampler(case.array(WEIGHTS)).draw(out=out, seed=1)
    assert np.array_equal(out, Sampler(WEIGHTS).draw(100, seed=1))


def test_probabilities(case, weights):
    sampler, expected = Sampler(case.array(weights)), Sampler(weights)
    expect(case, sampler.probabilities(), expected.probabilities())
    for dtype in ("int32", "uint32", None):
        samples, values = sampler.draw((5, 20), seed=1, dtype=dtype, return_probabilities=True)
        expect(case, samples, expected.draw((5, 20), seed=1))
        expect(case, values, expected.probabilities()[case.numpy(samples)])
    sampler.rebuild(case.array([1.0, 3]))
    expect(case, sampler.probabilities(), [0.25, 0.75])


def test_histogram(case, weights):
    if not has_64_bits(case):
        with pytest.raises(TypeError, match="needs 64 bits in JAX"):
            Sampler(case.array(weights)).histogram(100)
        return
    sampler, expected = Sampler(case.array(weights), seed=2), Sampler(weights, seed=2)
    for samples in (0, 1, 3_000_001):
        expect(case, sampler.histogram(samples), expected.histogram(samples))
    if case.library != "jax":
        out = case.array(np.full(len(weights), 99))
        assert sampler.histogram(1000, seed=4, out=out) is out
        expect(case, out, expected.histogram(1000, seed=4))


def test_rebuild(case):
    sampler = Sampler(case.array([1.0, 2]), seed=3)
    for values in (np.arange(100.0), [1.0, 5, 2]):  # more and fewer
        sampler.rebuild(case.array(values))
        assert len(sampler) == len(values)
        expect(case, sampler.draw(50, seed=1), Sampler(values).draw(50, seed=1))
    sampler.rebuild([0.0, 1])  # from NumPy
    expect(case, sampler.draw(2), [1, 1])


def test_rebuild_without_check(case):
    sampler = Sampler(case.array(np.ones(1000)), seed=3)
    values = np.arange(1000.0)
    sampler.rebuild(case.array(values), check=False)
    expect(case, sampler.draw(50, seed=1), Sampler(values).draw(50, seed=1))
    sampler.finish()
    if not case.on_gpu:
        return
    values[500] = np.nan
    sampler.rebuild(case.array(values), check=False)
    with pytest.raises(ValueError, match="weight 500 is not a number"):
        sampler.finish()
    assert len(sampler) == 0
    with pytest.raises(ValueError, match="has no table"):
        sampler.draw(1)
    sampler.rebuild(case.array([0.0, 1]))
    expect(case, sampler.draw(2), [1, 1])


def test_save_and_load(case, weights, tmp_path):
    file = tmp_path / "table"
    Sampler(case.array(weights)).save(file)
    like = case.array([0])
    expect(case, Sampler.load(file, like=like).draw(100, seed=1), Sampler(weights).draw(100, seed=1))
    expected = tmp_path / "expected"
    Sampler(weights).save(expected)
    assert file.read_bytes() == expected.read_bytes()


def test_random_state(case, weights):
    if case.library == "jax":
        with pytest.raises(TypeError, match="arrays of JAX cannot be written"):
            wrsgpu.random_state(7, like=case.array([0]))
        return
    sampler, expected = Sampler(case.array(weights)), Sampler(weights)
    state = wrsgpu.random_state(2**64 - 5, like=case.array([0]))
    used = 0
    for size in (1, 100, 2049, 100_003):
        for dtype in ("int32", "int64"):
            samples = sampler.draw(size, state=state, dtype=dtype)
            expect(case, samples, expected.draw(size, seed=2**64 - 5, offset=used))
            used += size
    expect(case, sampler.histogram(1000, state=state),
           expected.histogram(1000, seed=2**64 - 5, offset=used))
    assert case.numpy(state).view(np.uint64).tolist() == [2**64 - 5, used + 1000]
    for arguments, error, message in (
            ({"seed": 3}, TypeError, "not both"),
            ({"state": case.array([1, 2, 3])}, ValueError, "argument 'state' has 3 elements"),
            ({"state": case.array([1.0, 2])}, TypeError, "argument 'state' has dtype float64")):
        with pytest.raises(error, match=message):
            sampler.draw(3, **{"state": state, **arguments})
    if case.on_gpu:
        with pytest.raises(ValueError, match="argument 'state' is on the CPU"):
            sampler.draw(3, state=wrsgpu.random_state(7))


@pytest.mark.parametrize("size", [1, (2, 3), 100_003])
def test_sample_without_replacement(case, size):
    like = case.array([0])
    expected = wrsgpu.sample_without_replacement(10**6, size, seed=7, first=5)
    expect(case, wrsgpu.sample_without_replacement(10**6, size, seed=7, first=5, like=like),
           expected)
    if case.library != "jax":
        out = case.array(np.zeros(size, np.int32))
        assert wrsgpu.sample_without_replacement(10**6, seed=7, first=5, out=out) is out
        expect(case, out, expected)


def test_choice(case):
    expect(case, wrsgpu.choice(case.array(WEIGHTS), 100, seed=1), Sampler(WEIGHTS).draw(100, seed=1))
    assert wrsgpu.choice(case.array([0.0, 1])) == 1
    values = np.random.default_rng(3).random(10_000)
    for dtype in ("float32", "float64", "int64"):
        weights = (values * 100).astype(dtype)
        for size in (1, (3, 5), 2000):
            expected = wrsgpu.choice(case.numpy(case.array(weights)), size, replace=False, seed=1)
            expect(case, wrsgpu.choice(case.array(weights), size, replace=False, seed=1), expected)
            sampler = Sampler(case.array(weights), keep_weights=True, seed=1)
            expect(case, sampler.choose(size), expected)
            assert sampler.offset == len(weights)
    for weights, message in (([1.0, 0], "positive"), ([1.0, -1], "weight 1 is negative")):
        with pytest.raises(ValueError, match=message):
            wrsgpu.choice(case.array(weights), 2, replace=False)
    weights, positive = np.array([0, 2, 0, 1, 3], np.float32), 3
    for size in (1, 2, 3, 4, 5, 100):  # as many as there are, up to all positive ones
        expected = Sampler(weights, keep_weights=True).choose(min(size, positive), seed=5)
        expect(case, wrsgpu.choice(case.array(weights), size, replace=False, seed=5,
                                   allow_fewer=True), expected)
        expect(case, Sampler(case.array(weights), keep_weights=True).choose(
            size, seed=5, allow_fewer=True), expected)
    for call in (lambda **more: wrsgpu.choice(case.array(weights), replace=False, **more),
                 lambda **more: Sampler(case.array(weights), keep_weights=True).choose(**more)):
        with pytest.raises(ValueError, match="must be one number"):
            call(size=(2, 2), allow_fewer=True)
        with pytest.raises(ValueError, match="only 3 weights are positive"):
            call(size=4)
    expect(case, wrsgpu.choice(case.array(WEIGHTS), (0, 3), replace=False), np.zeros((0, 3)))
    expect(case, wrsgpu.resample(case.array(WEIGHTS), 0), np.zeros(0))
    for weights, message in (([1.0, np.nan], "weight 1 is not a number"), ([1.0, -1], "negative"),
                             (np.zeros(0, np.float32), "is empty"), ([0.0, 0], "are zero")):
        for call in (lambda array: wrsgpu.choice(array, 0),
                     lambda array: wrsgpu.choice(array, (3, 0), replace=False),
                     lambda array: wrsgpu.resample(array, 0)):
            with pytest.raises(ValueError, match=message):  # nothing is drawn, but checked
                call(case.array(weights))


def test_draws_of_nothing_check_their_arguments(case):
    """And use no words."""
    weights = case.array(WEIGHTS)
    sampler = Sampler(weights, keep_weights=True, seed=1)
    segments = wrsgpu.SegmentedSampler([0, 2, 5], weights, seed=1)
    of_sampler = (sampler.draw, sampler.choose, sampler.draw_distinct)
    calls = (*of_sampler, lambda size, **more: segments.draw([0], size, **more),
             lambda size, **more: wrsgpu.choice(weights, size, **more),
             lambda size, **more: wrsgpu.choice(weights, size, replace=False, **more),
             lambda size, **more: wrsgpu.resample(weights, size, **more),
             lambda size, **more: wrsgpu.sample_without_replacement(9, size, like=weights, **more))
    for number, call in enumerate(calls):
        for seed, error in ((-1, ValueError), (1.5, TypeError)):
            with pytest.raises(error, match=f"argument 'seed' is {seed}"):
                call(0, seed=seed)
        if number < len(of_sampler):
            with pytest.raises(ValueError, match="argument 'offset' is -1"):
                call(0, seed=1, offset=-1)
        call(0, seed=1)
        if call is calls[3] or call is calls[-1]:  # which take no state
            continue
        call(0)
        if case.library != "jax":
            state = wrsgpu.random_state(3, like=weights)
            with pytest.raises(TypeError, match="takes 'state', or 'seed'"):
                call(0, seed=1, state=state)
            with pytest.raises(ValueError, match="argument 'state' has 3 elements"):
                call(0, state=case.array([1, 2, 3]))
            call(0, state=state)
            assert case.numpy(state).tolist() == [3, 0]
    assert (sampler.offset, segments.offset) == (0, 0)
    with pytest.raises(ValueError, match="argument 'threads' is -1"):
        calls[-1](0, threads=-1)


def test_probabilities_of_samples_by_kept_weights(case):
    weights = (np.random.default_rng(3).random(10_000) * 100).astype("float32")
    sampler = Sampler(case.array(weights), keep_weights=True)
    for changed in (False, True):
        if changed:
            weights[:50] = 7
            sampler.update(case.array(np.arange(50)), case.array(weights[:50]))
        of_all = Sampler(weights).probabilities()
        for dtype, size in (("int32", 0), ("int32", (5, 20)), ("int64", 200), ("int32", 5000)):
            if dtype == "int64" and not has_64_bits(case):
                continue
            samples, values = sampler.draw(size, seed=1, dtype=dtype, return_probabilities=True)
            expect(case, values, of_all[case.numpy(samples)])


def test_updates_that_are_refused(case):
    weights = np.array([1, 2, 3], np.float32)
    sampler = Sampler(case.array(weights), keep_weights=True)
    indices = case.array([2, 0], "int32")
    invalid = [(np.array([1, -2], np.float32), "'values': .*is negative"),
               (np.ones((2, 1), np.float32), r"'values' has shape \(2, 1\)"),
               (np.ones(1, np.float32), "'values' has 1 elements; there are 2 indices")]
    if case.library != "numpy":  # which is converted
        invalid += [(np.array([1, 2], dtype), f"'values' has dtype .*{dtype}; the kept weights have")
                    for dtype in ("int32", "float64") if dtype == "int32" or has_64_bits(case)]
    for values, message in invalid:
        with pytest.raises(ValueError, match=f"argument {message}"):
            sampler.update(indices, case.array(values))
    if case.on_gpu:
        with pytest.raises(ValueError, match="argument 'values' is on the CPU; the sampler is on GPU"):
            sampler.update(indices, [1.0, 2])
    if has_64_bits(case):
        for number in ((1 << 32) + 1, 1 << 62, -1, -(1 << 32)):  # none is taken for item 0 or 1
            with pytest.raises(ValueError, match="'indices'" if not case.on_gpu else "index 1 is"):
                sampler.update(case.array([2, number]), case.array([5, 5], "float32"))
    expect(case, sampler.draw(1000, seed=1), Sampler(weights).draw(1000, seed=1))
    sampler.update(indices, case.array([0, 5], "float16"))
    expect(case, sampler.draw(1000, seed=1), Sampler([5, 2, 0]).draw(1000, seed=1))


def test_integers_that_are_no_items(case):
    if not has_64_bits(case):
        pytest.skip("has no integers of 64 bits")
    numbers = [0, 7, (1 << 32) - 2, 1 << 32, (1 << 32) + 1, (1 << 63) - 1]
    expected = [0, 7, (1 << 32) - 2] + 3 * [(1 << 32) - 1]
    for dtype, more in (("int64", [-1, -(1 << 32), -(1 << 63)]), ("uint64", [(1 << 64) - 1])):
        array = case.array(np.array(numbers + more, dtype))
        words = library_of(array).no_items(array, "int32")
        assert case.numpy(words).tolist() == expected + len(more) * [(1 << 32) - 1]
        assert library_of(array).no_items(array, "int64") is array
    array = case.array([-1, 7], "int16")
    assert library_of(array).no_items(array, "int32") is array


def test_distinct_draws(case):
    weights = (np.random.default_rng(3).random(10_000) * 100).astype("float32")
    ours, expected = Sampler(case.array(weights), seed=1), Sampler(weights, seed=1)
    for size in (1, (3, 5), 2000):
        expect(case, ours.draw_distinct(size), expected.draw_distinct(size))
        assert ours.offset == expected.offset
    with pytest.raises(ValueError, match="fewer than 3 different items"):
        Sampler(case.array([1.0, 0, 1])).draw_distinct(3)
    if case.on_gpu:
        with pytest.raises(ValueError, match="more than the 4096"):
            ours.draw_distinct(5000)


def test_resample_and_counts(case):
    values = np.random.default_rng(3).random(5000)
    for dtype in ("float32", "float64", "int64"):
        weights = case.array((values * 100).astype(dtype))
        for scheme in SCHEMES:
            expect(case, wrsgpu.resample(weights, 9000, scheme, seed=1),
                   wrsgpu.resample(case.numpy(weights), 9000, scheme, seed=1))
        if not has_64_bits(case):
            with pytest.raises(TypeError, match="needs 64 bits in JAX"):
                wrsgpu.multinomial_counts(weights, 10**6)
            continue
        counts = wrsgpu.multinomial_counts(weights, 10**6, seed=1)
        assert isinstance(counts, case.array_type)
        assert np.array_equal(case.numpy(counts),
                              wrsgpu.multinomial_counts(case.numpy(weights), 10**6, seed=1))
    for function in (wrsgpu.resample, lambda weights: wrsgpu.multinomial_counts(weights, 5)):
        if function is not wrsgpu.resample and not has_64_bits(case):
            continue
        with pytest.raises(ValueError, match="weight 1 is negative"):
            function(case.array([1.0, -1]))


SCHEMES = ("systematic", "stratified", "residual", "multinomial")


def calls_of_choices(case, weights):
    """Functions that write items by these weights, the same of NumPy, and the words that each uses, if
    that is known beforehand."""
    def calls(array):
        sampler = Sampler(array, keep_weights=True, seed=1)
        return [sampler.choose, sampler.draw_distinct,
                lambda size=None, **more: wrsgpu.choice(array, size, replace=False, **more),
                *(functools.partial(wrsgpu.resample, array, scheme=scheme) for scheme in SCHEMES)]
    words = [len(weights), None, len(weights), *[None] * len(SCHEMES)]
    return zip(calls(case.array(weights)), calls(weights), words, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 3, 2000])
def test_states_and_out_of_choices(case, dtype, size):
    """Successive calls with a state are those with a seed and successive offsets."""
    if case.library == "jax":
        for call in (wrsgpu.resample, lambda array, **more: wrsgpu.choice(array, 2, False, **more)):
            for name in ("out", "state"):
                with pytest.raises(TypeError, match=f"argument '{name}' is an array of JAX"):
                    call(case.array(WEIGHTS), **{name: case.array(np.zeros(2, np.int32))})
        return
    weights = (np.random.default_rng(3).random(5000) * 100).astype(dtype)
    for number, (call, of_numpy, words) in enumerate(calls_of_choices(case, weights)):
        seed = 2**64 - 5
        state = wrsgpu.random_state(seed, like=case.array([0]))
        same = wrsgpu.random_state(seed)
        for draw, kind in enumerate(("int64", "int32", "int64")):
            expected = of_numpy(size, state=same)
            if number < 2:  # which take an offset
                assert draw > 0 or np.array_equal(expected, of_numpy(size, seed=seed))
            if words is not None:
                assert same[1] == (draw + 1) * words
            check = {"check": False} if draw == 2 else {}
            if draw == 0:
                expect(case, call(size, state=state, dtype=kind), expected)
                continue
            out = case.array(np.zeros(size, kind))
            assert call(out=out, state=state, **check) is out
            expect(case, out, expected)
        assert case.numpy(state).view(np.uint64).tolist() == same.tolist()
        expect(case, call(size, seed=5, dtype="uint32", check=False),
               of_numpy(size, seed=5, dtype="uint32"))
        for arguments, error, message in (
                ({"state": state, "seed": 1}, TypeError, "takes 'state', or 'seed'"),
                ({"state": case.array([1, 2, 3])}, ValueError, "argument 'state' has 3 elements"),
                ({"state": case.array([1.0, 2])}, TypeError, "argument 'state' has dtype float64"),
                ({"out": case.array([1.0] * size)}, TypeError, "argument 'out' has dtype float64"),
                ({"out": case.array([1] * (size + 1))}, ValueError, "argument 'out' has shape"),
                ({"out": case.array([1] * size), "dtype": "int32"}, TypeError, "not both")):
            with pytest.raises(error, match=message):
                call(size, **arguments)
        if case.on_gpu:
            with pytest.raises(ValueError, match="argument 'state' is on the CPU; it must be on GPU"):
                call(size, state=wrsgpu.random_state(7))
            with pytest.raises((TypeError, ValueError), match="argument 'out' is on the CPU"):
                call(size, out=np.zeros(size, np.int32), seed=1)


def test_states_that_overlap_the_output(case):
    """Are refused before anything is written; what only touches it is not."""
    if case.library == "jax":
        pytest.skip("arrays of JAX cannot be written")
    weights = case.array([1.0, 2])
    sampler = Sampler(weights, keep_weights=True)
    words = case.array(np.arange(7))
    state = words[2:4]
    for call in (sampler.draw, sampler.choose, sampler.draw_distinct,
                 lambda **more: sampler.histogram(5, **more),
                 lambda **more: wrsgpu.choice(weights, **more),
                 lambda **more: wrsgpu.choice(weights, replace=False, **more),
                 lambda **more: wrsgpu.resample(weights, **more),
                 lambda **more: wrsgpu.multinomial_counts(weights, 5, **more)):
        before = case.numpy(words).tolist()
        for begin in (1, 2, 3):
            with pytest.raises(ValueError, match="arguments 'state' and 'out' overlap in memory"):
                call(state=state, out=words[begin:begin + 2])
        assert case.numpy(words).tolist() == before
        for begin in (0, 4):
            call(state=state, out=words[begin:begin + 2])
    assert sampler.draw(state=state, out=words[3:3]).shape == (0,)


def test_states_and_out_of_counts(case):
    if case.library == "jax":
        pytest.skip("arrays of JAX cannot be written")
    weights = (np.random.default_rng(3).random(5000) * 100).astype(np.float32)
    state = wrsgpu.random_state(7, like=case.array([0]))
    out = case.array(np.zeros(5000, np.int64))
    for draw in range(3):
        expected = wrsgpu.multinomial_counts(weights, 10**9, seed=7, offset=draw)
        more = {"out": out} if draw > 0 else {}
        counts = wrsgpu.multinomial_counts(case.array(weights), 10**9, state=state, check=draw < 2,
                                           **more)
        assert draw == 0 or counts is out
        expect(case, counts, expected)
    assert case.numpy(state).tolist() == [7, 3]
    for arguments, error, message in (
            ({"state": state, "seed": 1}, TypeError, "takes 'state', or 'seed'"),
            ({"out": case.array([0] * 4999)}, ValueError, "argument 'out' has shape"),
            ({"out": case.array(np.zeros(5000, np.int32))}, TypeError, "has dtype int32")):
        with pytest.raises(error, match=message):
            wrsgpu.multinomial_counts(case.array(weights), 10, **arguments)
    if case.on_gpu:
        expect(case, wrsgpu.multinomial_counts(case.array([1.0, -1]), 10, check=False), [-1, -1])


def test_choices_of_fewer_items_into_out(case):
    if case.library == "jax":
        pytest.skip("arrays of JAX cannot be written")
    weights, positive = np.array([0, 2, 0, 1, 3], np.float32), 3
    expected = wrsgpu.choice(weights, positive, replace=False, seed=5)
    array = case.array(weights)
    calls = (functools.partial(wrsgpu.choice, array, replace=False),
             Sampler(array, keep_weights=True).choose)
    for call, kind in itertools.product(calls, ("int32", "int64")):
        for size in (2, 3, 4, 7):
            out = case.array(np.full(size, 77, kind))
            found = min(size, positive)
            expect(case, call(out=out, seed=5, allow_fewer=True), expected[:found])
            assert case.numpy(out).tolist() == [*expected[:found], *[77] * (size - found)]
            if case.on_gpu:  # which nobody waits for
                expect(case, call(out=out, seed=5, allow_fewer=True, check=False),
                       [*expected[:found], *[-1] * (size - found)])
        out = case.array(np.full(4, 77, kind))
        with pytest.raises(ValueError, match="only 3 weights are positive"):
            call(out=out, seed=5)
        assert case.numpy(out).tolist() == [77] * 4  # nothing is written
        if case.on_gpu:
            expect(case, call(4, seed=5, dtype=kind, check=False), [-1] * 4)
            expect(case, call(4, seed=5, dtype=kind, check=False, allow_fewer=True),
                   [*expected, -1])
        else:  # which is never launched without a check
            with pytest.raises(ValueError, match="only 3 weights are positive"):
                call(4, seed=5, check=False)
            expect(case, call(4, seed=5, check=False, allow_fewer=True), expected)
        expect(case, call(2**50, seed=5, allow_fewer=True), expected)  # memory for five
        with pytest.raises(ValueError, match="argument 'out' has shape .*at most as many"):
            call(out=case.array(np.zeros(6, kind)))
        with pytest.raises(ValueError, match="must be one number"):
            call(out=case.array(np.zeros((2, 2), kind)), allow_fewer=True)


def test_arguments_of_choices(case):
    array = case.array(np.array([1, 2, 3, 4], np.float32))
    sampler = Sampler(array, keep_weights=True)
    for call in (sampler.choose, sampler.draw_distinct):
        with pytest.raises(TypeError, match="needs 'size' or 'out'"):
            call()
    for more in ({}, {"replace": False}):
        with pytest.raises(TypeError, match="argument 'check' is False"):
            wrsgpu.choice(array, check=False, **more)
    with pytest.raises(TypeError, match="argument 'check' is False"):
        wrsgpu.choice(array, 2, check=False)
    if case.library != "jax":
        state = wrsgpu.random_state(7, like=array)
        out = case.array(np.zeros(3, np.int64))
        expect(case, wrsgpu.choice(array, out=out, state=state), Sampler([1, 2, 3, 4]).draw(3, seed=7))
        with pytest.raises(TypeError, match="takes 'state', or 'seed'"):
            wrsgpu.choice(array, 3, seed=1, state=state)
    if case.on_gpu:
        with pytest.raises(TypeError, match="argument 'check' is False, which needs"):
            sampler.draw_distinct(2, check=False)
        for values in ([1, 2.0, -1], [0, 0, 0.0], [np.inf, 1, 1]):
            array = case.array(np.array(values, np.float32))
            expect(case, wrsgpu.choice(array, 2, False, check=False), [-1, -1])
            expect(case, wrsgpu.resample(array, check=False), [-1, -1, -1])


def test_an_omitted_seed(case):
    one, other = Sampler(case.array(WEIGHTS)), Sampler(case.array(WEIGHTS))
    assert one.seed != other.seed
    expect(case, one.draw(100), Sampler(WEIGHTS).draw(100, seed=one.seed))
    assert not np.array_equal(case.numpy(one.draw(100)), case.numpy(other.draw(100)))
