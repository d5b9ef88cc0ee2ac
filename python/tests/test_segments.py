"""SegmentedSampler, with each array library."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from wrsgpu import SegmentedSampler
from wrsgpu._readers import Readers

OFFSETS = [0, 2, 2, 5, 105]
WEIGHTS = np.concatenate([[1, 3], [0, 2, 5], np.random.default_rng(1).random(100)])


def both(case, **options):
    """A sampler of the case's library, and one of NumPy."""
    return (SegmentedSampler(case.array(OFFSETS), case.array(WEIGHTS), seed=3, empty_ok=True,
                             keep_weights=True, **options),
            SegmentedSampler(OFFSETS, WEIGHTS, seed=3, empty_ok=True, keep_weights=True, **options))


def expect(case, result, expected):
    assert isinstance(result, case.array_type)
    assert case.current_device(result) == case.device
    assert np.array_equal(case.numpy(result), expected)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("rounds", [7, 10])
def test_samples_are_those_of_numpy(case, replace, rounds):
    sampler, numpy_sampler = both(case, rounds=rounds)
    segments = np.array([3, 0, 2, 1, 3, 3])
    payload = np.arange(105, dtype=np.int32) * 7
    for options in ({}, {"local": True}, {"seed": 5, "offset": 2}):
        expected = numpy_sampler.draw(segments, 5, replace=replace, **options)
        expect(case, sampler.draw(case.array(segments), 5, replace=replace, **options), expected)
    expected, counts = numpy_sampler.draw(segments, 4, replace=replace, payload=payload, seed=1,
                                          return_counts=True)
    result = sampler.draw(case.array(segments), 4, replace=replace, payload=case.array(payload),
                          seed=1, return_counts=True)
    expect(case, result[0], expected)
    expect(case, result[1], counts)
    assert counts.tolist() == (expected >= 0).sum(1).tolist()
    expect(case, sampler.draw(k=2, seed=1), numpy_sampler.draw(range(4), 2, seed=1))
    assert sampler.offset == numpy_sampler.offset > 0


def test_without_replacement_items_are_different():
    sampler = SegmentedSampler(OFFSETS, WEIGHTS, seed=3, empty_ok=True, keep_weights=True)
    for row, positive in zip(sampler.draw(k=100, replace=False), (2, 0, 2, 100), strict=True):
        assert (row[positive:] == -1).all()
        assert np.unique(row[row >= 0]).size == positive
    draws = sampler.draw([0] * 1000, replace=False)
    assert 700 < (draws == 1).sum() < 800  # of weight 3 among 4


def test_calls_continue_the_stream():
    """A sample or step takes a word, a segment without replacement a row of words."""
    sampler = SegmentedSampler(OFFSETS, WEIGHTS, seed=3, empty_ok=True, keep_weights=True)
    neighbours = np.arange(105) % 4
    calls = [(10, lambda **at: sampler.draw([0, 3], 5, **at)),
             (2, lambda **at: sampler.draw([0, 3], 5, replace=False, **at)),
             (14, lambda **at: sampler.walk([0, 3], 7, neighbours, **at))]
    for words, call in calls * 2:
        before = sampler.offset
        expected = call(seed=3, offset=before)
        assert sampler.offset == before
        assert np.array_equal(call(), expected)
        assert sampler.offset == before + words
    samples, counts = sampler.draw([0], return_counts=True, dtype="uint32")
    assert samples.dtype == counts.dtype == np.uint32


def test_walks_are_those_of_numpy(case):
    sampler, numpy_sampler = both(case)
    neighbours = np.arange(105) * 11 % 4
    starts = np.array([0, 1, 2, 3] * 5)
    expected = numpy_sampler.walk(starts, 9, neighbours)
    expect(case, sampler.walk(case.array(starts), 9, case.array(neighbours)), expected)
    assert expected.shape == (20, 10)
    assert np.array_equal(expected[:, 0], starts)
    assert (expected[1, 1:] == -1).all()  # a vertex without edges
    elsewhere = sampler.walk(case.array([2]), 3, case.array(np.full(105, 7)))
    assert case.numpy(elsewhere).tolist() == [[2, 7, -1, -1]]


def test_rows_of_a_matrix(case):
    matrix = np.random.default_rng(2).random((50, 30)).astype(np.float32)
    sampler = SegmentedSampler(None, case.array(matrix), seed=4)
    expected = SegmentedSampler(np.arange(51) * 30, matrix.reshape(-1), seed=4)
    local = expected.draw(range(50), 7) - np.arange(50)[:, None] * 30
    expect(case, sampler.draw(k=7, local=True), local)


def test_rebuild(case):
    sampler, _ = both(case)
    sampler.rebuild(case.array([0, 1, 3]), case.array([1.0, 0.0, 2.0]))
    assert len(sampler) == 2
    expect(case, sampler.draw(k=3, seed=1), [[0, 0, 0], [2, 2, 2]])
    expect(case, sampler.draw(k=1, replace=False, seed=1), [[0], [2]])
    with pytest.raises(ValueError, match="in segment 1, item 1 .weight 2 of all. is negative"):
        sampler.rebuild(case.array([0, 1, 3]), case.array([1.0, 0.0, -2.0]))
    with pytest.raises(ValueError, match="segment 1 begins at 3 and ends at 2"):
        sampler.rebuild(case.array([0, 3, 2]), case.array([1.0, 1.0, 2.0]))


def test_distribution():
    sampler = SegmentedSampler([0, 2, 5], [1, 3, 2, 3, 5], seed=5)
    samples = sampler.draw([1] * 1000, 100, local=True)
    counts = np.bincount(samples.ravel(), minlength=3)
    expected = np.array([0.2, 0.3, 0.5]) * samples.size
    assert ((counts - expected) ** 2 / expected).sum() < 55  # exceeded with probability 10^-12


def test_rebuild_from_another_library(case):
    sampler, _ = both(case)
    sampler.rebuild(np.array([0, 2]), case.array([0.0, 3]))
    expect(case, sampler.draw([0], k=2), [[1, 1]])
    if not case.on_gpu:
        sampler.rebuild([0, 2], np.array([3.0, 0]))
        expect(case, sampler.draw(k=2), [[0, 0]])


def test_sparse_matrices_are_no_weights():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    matrix = sparse.csr_matrix(np.eye(3))
    for offsets, weights, name in ((None, matrix, "weights"), (matrix, [1, 2], "offsets")):
        with pytest.raises(TypeError, match=f"argument '{name}' is of type csr_matrix; it must be"):
            SegmentedSampler(offsets, weights)
    assert SegmentedSampler(matrix.indptr, matrix.data).draw(
        k=2, payload=matrix.indices).tolist() == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda s: s.draw([4]), ValueError, "argument 'segments': element 0 is 4, but there are 4"),
    (lambda s: s.draw([0, -1]), ValueError, "'segments': element 1 is -1, which is not between 0"),
    (lambda s: s.draw([0.5]), TypeError, "must have integers"),
    (lambda s: s.draw([[0, 1]]), ValueError, r"'segments' has shape \(1, 2\); it must have one"),
    (lambda s: s.draw(0), ValueError, r"'segments' has shape \(\); it must have one"),
    (lambda s: s.rebuild([[0, 1]], [1]), ValueError, r"'offsets' has shape \(1, 2\)"),
    (lambda s: s.walk([[0]], 3, range(105)), ValueError, r"'starts' has shape \(1, 1\)"),
    (lambda s: s.draw([0], payload=[1, 2]), ValueError, "has 2 elements"),
    (lambda s: s.draw([0], payload=range(106)), ValueError, "has 106 elements"),
    (lambda s: s.draw([0], payload=range(105), local=True), ValueError, "choose one"),
    (lambda s: s.draw([0], offset=3), TypeError, "needs a 'seed'"),
    (lambda s: s.draw([0], replace=False), ValueError, "keep_weights"),
    (lambda s: s.walk([0], 3, [1]), ValueError, "has 1 elements"),
    (lambda s: s.rebuild(None, [1, 2]), ValueError, "two dimensions"),
    (lambda s: s.rebuild([], [1, 2]), ValueError, "is empty"),
    (lambda s: s.rebuild([0, 3], [1, 2]), ValueError, "argument 'offsets': segment 0 begins at 0"),
    (lambda s: SegmentedSampler(None, [[1, 1], [0, 0]]), ValueError, "'weights': segment 1"),
    (lambda s: SegmentedSampler([0, 1, 2], [1, 0]), ValueError, "'weights': segment 1"),
    (lambda s: s.draw(np.ma.array([0])), TypeError, "'segments' is a masked array"),
    (lambda s: s.rebuild(None, [[1, 2]]), None, ""),
    (lambda s: s.rebuild([0, 1, 1], [1]), None, ""),
    (lambda s: s.rebuild([0, 1, 1], [1], check=False), None, ""),
    (lambda s: s.rebuild([0, 1, 1], [-1], check=False), ValueError, "is negative"),
    (lambda s: s.finish(), ValueError, "no rebuild without check"),
    (lambda s: SegmentedSampler([0, 1, 1], [1]), ValueError, "segment 1 is empty"),
    (lambda s: SegmentedSampler([0, 1], [1], rounds=8), ValueError, "7 or 10"),
])
def test_errors(call, error, message):
    sampler = SegmentedSampler(OFFSETS, WEIGHTS, empty_ok=True)
    if error is None:
        call(sampler)
    else:
        with pytest.raises(error, match=message):
            call(sampler)


@pytest.mark.parametrize("replace", [True, False])
def test_draws_of_one_thread_while_another_rebuilds(replace):
    """A draw is from tables, weights and a payload of the same items; its rebuild waits."""
    rng = np.random.default_rng(3)
    matrices = [np.ones((int(rows), int(items)), np.float32)
                for rows, items in zip(rng.integers(1, 300, 40), rng.integers(1, 200, 40))]
    sampler = SegmentedSampler(None, matrices[0], keep_weights=True)
    done = threading.Event()
    faults = []

    def draw():
        while not done.is_set():
            size = sampler._size
            try:
                drawn = sampler.draw(None, 5, replace=replace, payload=np.full(size, 5, np.int32))
            except ValueError as error:  # rebuilt in between
                if "argument 'payload' has" not in str(error):
                    faults.append(error)
            else:
                if not np.isin(drawn, [5, -1]).all():
                    faults.append(drawn)

    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        for matrix in matrices:
            sampler.rebuild(None, matrix)
    done.set()
    for thread in threads:
        thread.join()
    assert not faults


def test_an_interrupted_rebuild_leaves_no_tables():
    sampler = SegmentedSampler([0, 2], [1, 1], keep_weights=True)

    class Interrupted:
        """Ctrl-C, at the end of the work."""

        def rebuild(self, *arguments):
            raise KeyboardInterrupt

    sampler._core = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        sampler.rebuild([0, 1, 3], [1, 1, 1])
    assert len(sampler) == 0
    with pytest.raises(ValueError, match="draw: the sampler has no tables"):
        sampler.draw([0], 1)
    with pytest.raises(ValueError, match="walk: the sampler has no tables"):
        sampler.walk([0], 1, [0, 0])
    sampler.rebuild([0, 1, 3], [1, 1, 1])
    assert len(sampler) == 2 and sampler.draw([0], 1).tolist() == [[0]]


def test_reads_that_come_while_a_change_waits_are_after_it():
    readers, order = Readers(), []

    def read():
        with readers.reading():
            order.append("read")

    def change():
        readers.change(lambda: order.append("change"))

    change_thread, read_thread = threading.Thread(target=change), threading.Thread(target=read)
    with readers.reading():
        change_thread.start()
        while not readers._turn.locked():
            time.sleep(0.001)
        read_thread.start()
        time.sleep(0.05)
        assert not order
    change_thread.join()
    read_thread.join()
    assert order == ["change", "read"]


def test_ctrl_c_leaves_no_lock():
    """At whatever place of a draw or a rebuild."""
    script = """if True:
        import random, signal, threading
        import wrsgpu
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        sampler = wrsgpu.SegmentedSampler([0, 4, 9], [1.0] * 9)
        for _ in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-4 + random.random() / 1000)
                while True:
                    sampler.rebuild([0, 4, 9], [1.0] * 9)
                    sampler.draw([0, 1], 3)
            except KeyboardInterrupt:
                pass
        other = threading.Thread(target=sampler.rebuild, args=([0, 4, 9], [1.0] * 9), daemon=True)
        other.start()
        other.join(30)
        assert not other.is_alive()
        sampler.draw([0, 1], 3)
        """
    subprocess.run([sys.executable, "-c", script], check=True, timeout=100)
