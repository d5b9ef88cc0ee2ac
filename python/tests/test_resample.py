"""Resampling, and counts of samples that are not drawn."""

import numpy as np
import pytest

from wrsgpu import multinomial_counts, random_state, resample

SCHEMES = ("systematic", "stratified", "residual", "multinomial")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_resample(scheme):
    """The counts are within their bounds, and their means are right: 6 sigma."""
    weights = np.array([3, 0, 2.5, 1, 0.5])
    expected = 20 * weights / weights.sum()
    sums = np.zeros(5)
    for seed in range(2000):
        ancestors = resample(weights, 20, scheme, seed=seed)
        assert ancestors.dtype == np.int64
        assert np.array_equal(ancestors, np.sort(ancestors))
        counts = np.bincount(ancestors, minlength=5)
        sums += counts
        if scheme == "systematic":
            assert np.all(np.abs(counts - expected) < 1 + 1e-6)
        if scheme == "residual":
            assert np.all(counts >= np.floor(expected - 1e-6))
    assert np.all(np.abs(sums - 2000 * expected) < 6 * np.sqrt(2000 * expected) + 1e-6)
    assert sums[1] == 0


def test_resample_arguments():
    assert resample([1, 2, 3], seed=1).size == 3
    assert resample([1, 2, 3], 0).size == 0
    assert resample([1, 2, 3], 7, dtype="int32").dtype == np.int32
    assert np.array_equal(resample(np.ones(50), seed=1), np.arange(50))
    assert len({resample(range(1, 100), 1000, scheme, seed=1).tobytes() for scheme in SCHEMES}) == 4
    for arguments, message in ((([], 1), "argument 'weights' is empty"),
                               (([0, 0], 1), "all 2 weights are zero"),
                               (([1], -1), "argument 'size' is -1"),
                               (([1], 2**32 - 1), "argument 'size' is 4294967295"),
                               (([1], 1, "best"), "argument 'scheme' is 'best'")):
        with pytest.raises(ValueError, match=message):
            resample(*arguments)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_state_is_advanced_by_the_number_of_ancestors(scheme):
    state = random_state(7)
    for size, used in ((20, 20), (0, 20), (3, 23), (None, 28)):
        begin = int(state[1])
        ancestors = resample([1, 2, 3, 4, 5], size, scheme, state=state)
        assert state.tolist() == [7, used]
        if size and begin == 0:
            assert np.array_equal(ancestors, resample([1, 2, 3, 4, 5], size, scheme, seed=7))


def test_multinomial_counts():
    """Each count within 6 sigma of its mean."""
    weights = np.arange(1000)
    for samples in (10**5, 10**12):
        counts = multinomial_counts(weights, samples, seed=1)
        assert counts.dtype == np.int64
        assert counts.sum() == samples
        assert counts[0] == 0
        mean = samples * weights / weights.sum()
        assert np.all(np.abs(counts - mean) < 6 * np.sqrt(mean) + 1)
    assert not np.array_equal(multinomial_counts(weights, samples, seed=1, offset=1), counts)
    assert multinomial_counts([1, 2], 0).tolist() == [0, 0]
    for values, samples, message in (([], 5, "argument 'weights' is empty"),
                                     ([1, -1], 5, "weight 1 is negative"),
                                     ([1], -1, "argument 'samples' is -1")):
        with pytest.raises(ValueError, match=message):
            multinomial_counts(values, samples)
