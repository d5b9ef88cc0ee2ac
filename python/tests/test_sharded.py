"""Sampling from shards, by ranks on threads with NumPy, and by processes with torch's gloo and NCCL."""

import os
import threading

import numpy as np
import pytest

import wrsgpu


class Threads:
    """The group of a rank on one of `size` threads; its numbers are NumPy's, as those of MPI may be."""

    def __init__(self, rank, size, shared):
        self.rank, self.size, self._shared = np.uint8(rank), np.uint8(size), shared

    def _meet(self, mine):
        barrier, offers = self._shared
        offers[self.rank] = mine
        barrier.wait(20)
        all_of_them = list(offers)
        barrier.wait(20)
        return all_of_them

    def all_gather(self, mine):
        return self._meet(mine)

    def all_to_all(self, send, send_counts, receive, receive_counts):
        parts = np.split(np.asarray(send), np.cumsum(send_counts)[:-1])
        of_all = self._meet([part.copy() for part in parts])
        mine = [parts[self.rank] for parts in of_all]
        assert [len(part) for part in mine] == receive_counts
        receive[:] = np.concatenate(mine)


def on_ranks(size, work):
    """The results of work(group) of all ranks, or what they raised."""
    shared = (threading.Barrier(size), [None] * size)
    results = [None] * size

    def run(rank):
        try:
            results[rank] = work(Threads(rank, size, shared))
        except Exception as error:  # noqa: BLE001
            results[rank] = error
            if not isinstance(error, (ValueError, TypeError, MemoryError)):
                shared[0].abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


SHARDS = [np.array([1.0, 2, 0]), np.array([], np.float32), np.array([0, 0]),
          np.arange(5, dtype=np.float32)]
ALL = np.concatenate(SHARDS)


def law_holds(counts):
    """Chi-squared, at a level of about 10^-6: seven items with weight."""
    expected = ALL / ALL.sum() * counts.sum()
    assert counts[expected == 0].sum() == 0
    with_weight = expected > 0
    difference = counts[with_weight] - expected[with_weight]
    return (difference**2 / expected[with_weight]).sum() < 42


def test_samples_have_the_law_of_all_weights():
    def work(group):
        sampler = wrsgpu.ShardedSampler(SHARDS[group.rank], group, seed=7)
        local = sampler.draw_local(100_000)
        scattered = sampler.draw_scattered(50_000)
        counts = sampler.histogram(100_000, seed=7)
        assert len(sampler) == len(ALL)
        assert sampler.shard_size == len(SHARDS[group.rank])
        assert len(local) == sampler.shard_histogram(100_000, seed=7)[group.rank]
        assert sampler.offset == 100_000 + 4 * 50_000
        return local, scattered, counts, sampler.first_item, sampler.shard_masses

    results = on_ranks(len(SHARDS), work)
    local = np.bincount(np.concatenate([each[0] for each in results]), minlength=len(ALL))
    assert law_holds(local)
    np.testing.assert_array_equal(np.concatenate([each[2] for each in results]), local)
    for _, scattered, _, _, masses in results:
        assert law_holds(np.bincount(scattered, minlength=len(ALL)))
        assert masses == results[0][4]
        assert masses[1] == masses[2] == 0
        assert abs(masses[0] / sum(masses) - 3 / 13) < 1e-9
    assert [each[3] for each in results] == [0, 3, 3, 5]
    # A fault that the check finds: samples of one shard too many.
    local[:3] += local[:3] // 20
    assert not law_holds(local)


def test_equal_seeds_give_equal_samples_and_rank_0_has_the_default_one():
    def work(group):
        sampler = wrsgpu.ShardedSampler(SHARDS[group.rank], group, threads=group.rank + 1)
        first = sampler.draw_scattered(100)
        again = sampler.draw_scattered(100, seed=sampler.seed)
        rest = sampler.draw_scattered(10)
        assert rest.tolist() == sampler.draw_scattered(10, seed=sampler.seed, offset=400).tolist()
        return sampler.seed, first.tolist(), again.tolist()

    results = on_ranks(4, work)
    assert len({seed for seed, _, _ in results}) == 1
    for _, first, again in results:
        assert first == again


@pytest.mark.parametrize(("bad", "message"), [
    ([1.0, -2.0], "rank 1: argument 'weights': weight 1 is negative (-2)"),
    ([1 << 60, (1 << 60) + 1], "rank 1: argument 'weights': weight 1 is 1152921504606846977"),
    ([[1.0]], "rank 1: argument 'weights' has shape (1, 1)"),
    (["a"], "rank 1: argument 'weights' has dtype"),
])
def test_invalid_weights_are_raised_on_every_rank(bad, message):
    def work(group):
        wrsgpu.ShardedSampler(bad if group.rank == 1 else [1.0], group)

    for rank, error in enumerate(on_ranks(3, work)):
        if rank == 1 and "dtype" in message:
            assert isinstance(error, TypeError)
        else:
            assert isinstance(error, ValueError)
            assert str(error).startswith(message)


def test_no_weight_at_all_and_failed_rebuilds():
    def work(group):
        sampler = wrsgpu.ShardedSampler([1, 2], group)
        with pytest.raises(ValueError, match="no rank has a positive weight"):
            sampler.rebuild([0.0])
        with pytest.raises(ValueError, match="has no tables"):
            sampler.draw_local(5)
        sampler.rebuild([0.0, 1] if group.rank == 0 else [])
        return sampler.draw_scattered(5).tolist()

    assert on_ranks(2, work) == [[1] * 5, [1] * 5]


def test_rank_whose_weights_cannot_be_read_has_no_table_either():
    def work(group):
        sampler = wrsgpu.ShardedSampler([1, 2], group)
        with pytest.raises(ValueError, match="rank 1: .*shape"):
            sampler.rebuild([[3.0]] if group.rank == 1 else [3.0])
        assert len(sampler) == 0
        for draw in (sampler.draw_local, sampler.draw_scattered):
            with pytest.raises(ValueError, match="has no tables"):
                draw(5)
        sampler.rebuild([0.0, 1] if group.rank == 0 else [])
        return sampler.draw_scattered(5).tolist()

    assert on_ranks(2, work) == [[1] * 5, [1] * 5]


@pytest.mark.parametrize(("arguments", "message"), [
    ({"rounds": 8}, "rounds"), ({"threads": -1}, "threads"), ({"seed": -1}, "seed"),
    ({"seed": "x"}, "seed"),
])
def test_options_of_one_rank_that_are_invalid(arguments, message):
    def work(group):
        wrsgpu.ShardedSampler([1, 2], group, **(arguments if group.rank == 1 else {}))

    for error in on_ranks(2, work):
        assert isinstance(error, (ValueError, TypeError))
        assert f"argument '{message}' is" in str(error)


def test_a_refused_draw_leaves_the_stream_of_all_ranks():
    def work(group):
        sampler = wrsgpu.ShardedSampler([1, 2], group, seed=3)
        with pytest.raises(ValueError, match="size"):
            sampler.draw_scattered(-1 if group.rank == 1 else 5)
        first = sampler.draw_scattered(5)
        assert sampler.offset == 10
        assert np.array_equal(first, sampler.draw_scattered(5, seed=3))
        return sampler.offset

    assert on_ranks(2, work) == [10, 10]


def test_different_draws_are_refused_on_every_rank():
    def work(group):
        sampler = wrsgpu.ShardedSampler([1, 2], group)
        sampler.draw_scattered(5 + group.rank, seed=1)

    for error in on_ranks(2, work):
        assert isinstance(error, ValueError)
        assert "all ranks must draw the same" in str(error)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"size": -1}, "argument 'size' is -1"),
    ({"size": 1 << 60}, "argument 'size' is 1152921504606846976"),
    ({"size": 5, "seed": -1}, "argument 'seed' is -1"),
    ({"size": 5, "offset": 3}, "argument 'offset' needs a 'seed'"),
])
def test_arguments_of_one_rank_that_are_invalid(arguments, message):
    """The others do not wait for it."""
    def work(group):
        sampler = wrsgpu.ShardedSampler([1, 2], group, seed=3)
        sampler.draw_scattered(**(arguments if group.rank == 1 else {"size": 5}))

    for rank, error in enumerate(on_ranks(2, work)):
        assert isinstance(error, TypeError if rank == 1 and "needs" in message else ValueError)
        assert message in str(error)


def test_what_is_no_group():
    with pytest.raises(TypeError, match="without rank, size, all_gather, all_to_all"):
        wrsgpu.ShardedSampler([1.0], 3)


class GpuThreads(Threads):
    """The same, of tensors on one GPU, which numbers leave to be exchanged."""

    def all_to_all(self, send, send_counts, receive, receive_counts):
        import torch  # noqa: PLC0415

        sent, received = np.empty(0, np.int64), np.empty(sum(receive_counts), np.int64)
        if sum(send_counts) > 0:
            sent = torch.as_tensor(send, device="cuda").cpu().numpy()
        super().all_to_all(sent, send_counts, received, receive_counts)
        if received.size > 0:
            torch.as_tensor(receive, device="cuda").copy_(torch.from_numpy(received))


class BehindLargeShard:
    """The ranks of a group, the first of which says that it has 2^32 - 2 items."""

    def __init__(self, group):
        self.rank, self.size, self.all_to_all = group.rank, group.size, group.all_to_all
        self._group, self._has_built = group, False

    def all_gather(self, mine):
        gathered = list(self._group.all_gather(mine))
        if not self._has_built:
            gathered[0] = (2**32 - 2).to_bytes(8, "little") + gathered[0][8:]
        self._has_built = True
        return gathered


def drawn(weights, group, delay=lambda: None):
    """What a rank gets; `delay` delays draws."""
    sampler = wrsgpu.ShardedSampler(weights, group, seed=7)
    delay()
    samples = (sampler.draw_local(1000), sampler.draw_scattered(100), sampler.histogram(1000))
    behind = wrsgpu.ShardedSampler(weights, BehindLargeShard(group))
    samples += (behind.draw_local(100, seed=7), behind.draw_scattered(100, seed=7))
    return [sampler.shard_masses, sampler.shard_histogram(1000, seed=7), sampler.first_item,
            *(each.tolist() for each in samples)]


def test_shards_on_a_gpu_draw_the_same():
    torch = pytest.importorskip("torch")
    if not (wrsgpu.has_cuda and torch.cuda.is_available()):
        pytest.skip("needs a GPU, and a build of wrsgpu with CUDA")

    def on_gpu(group):
        of_gpu = GpuThreads(group.rank, group.size, group._shared)
        return drawn(torch.from_numpy(SHARDS[group.rank]).cuda(), of_gpu)

    found = on_ranks(len(SHARDS), on_gpu)
    assert found == on_ranks(len(SHARDS), lambda group: drawn(SHARDS[group.rank], group))


def of_process(task):
    """What a process of torch does; it returns what is compared with the results of threads."""
    rank, shards, backend, library, file = task
    import torch  # noqa: PLC0415

    from wrsgpu.torch import ProcessGroupRanks  # noqa: PLC0415

    number = -1
    if backend == "nccl":
        number = rank % torch.cuda.device_count()
        torch.cuda.set_device(number)
        if torch.cuda.device_count() < len(shards):
            # NCCL refuses two ranks on one GPU of one host.
            os.environ.update(NCCL_HOSTID=str(rank), NCCL_NET="Socket", NCCL_SOCKET_IFNAME="lo")
    device = "cpu" if number < 0 else f"cuda:{number}"
    torch.distributed.init_process_group(backend, init_method=f"file://{file}", rank=rank,
                                         world_size=len(shards))
    weights, group = SHARDS[shards[rank]], ProcessGroupRanks(None, number)
    if library == "cupy":
        import cupy  # noqa: PLC0415

        # Samples that are sent before they are drawn would be seen.
        stream = cupy.cuda.Stream(non_blocking=True)
        def delay():
            with torch.cuda.stream(torch.cuda.ExternalStream(stream.ptr)):
                torch.cuda._sleep(200_000_000)  # cycles

        with stream:
            results = drawn(cupy.asarray(weights), group, delay)
    else:
        results = drawn(torch.from_numpy(weights).to(device), group)
    with pytest.raises(ValueError, match="rank 1: argument 'weights': weight 0 is not a number"):
        wrsgpu.ShardedSampler(torch.tensor([float("nan") if rank == 1 else 1.0], device=device))
    with pytest.raises(ValueError, match="no rank has a positive weight"):
        wrsgpu.ShardedSampler(torch.zeros(rank, device=device))
    sampler = wrsgpu.ShardedSampler(torch.ones(2, device=device))
    with pytest.raises(ValueError, match="all ranks must draw the same"):
        sampler.draw_scattered(5 + rank, seed=1)
    with pytest.raises(ValueError, match="argument 'size' is -1"):
        sampler.draw_scattered(-1 if rank == 1 else 5)
    torch.distributed.destroy_process_group()
    return rank, results


@pytest.mark.parametrize(("backend", "library", "shards"), [
    ("gloo", "torch", [0, 1, 2, 3]), ("nccl", "torch", [0, 1, 3]), ("nccl", "cupy", [0, 3])])
def test_processes_of_torch_draw_the_same(backend, library, shards, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip(library)
    if not torch.distributed.is_available():
        pytest.skip("torch has no distributed package")
    if backend == "nccl" and not (wrsgpu.has_cuda and torch.cuda.is_available()):
        pytest.skip("needs a GPU, and a build of wrsgpu with CUDA")
    context = torch.multiprocessing.get_context("spawn")
    # Its end ends processes that wait for one that failed.
    with context.Pool(len(shards)) as pool:
        tasks = [(rank, shards, backend, library, tmp_path / "meet") for rank in range(len(shards))]
        results = pool.imap_unordered(of_process, tasks)
        found = sorted(results.next(120) for _ in tasks)
    expected = on_ranks(len(shards), lambda group: drawn(SHARDS[shards[group.rank]], group))
    assert [results for _, results in found] == expected
    assert max(expected[0][-1]) > 2**32  # behind a large shard
