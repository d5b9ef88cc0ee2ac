"""Streams, CUDA graphs, lifetimes, devices and processes: what only GPUs have."""

import functools
import gc
import os

import numpy as np
import pytest
from test_readme import examples_of_readme

import wrsgpu
from wrsgpu import Sampler

WEIGHTS = np.arange(1000.0)


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not (wrsgpu.has_cuda and torch.cuda.is_available()):
        pytest.skip("needs a GPU, and a build of wrsgpu with CUDA")
    return torch


@pytest.fixture
def cupy():
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    try:
        there = wrsgpu.has_cuda and cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        there = False
    if not there:
        pytest.skip("needs a GPU, and a build of wrsgpu with CUDA")
    return cupy


def keep_busy(torch, seconds=0.2):
    """Work on the current stream that takes about that long."""
    torch.cuda._sleep(int(seconds * 1.5e9))


def test_the_current_stream_is_used(torch):
    """A draw comes after earlier work on the stream, and before later."""
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    expected = Sampler(WEIGHTS).draw(10_000, seed=1)
    sampler.draw(10_000)  # a kernel's first launch may wait for the device
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        out = torch.zeros(10_000, dtype=torch.int64, device="cuda")
        keep_busy(torch)
        out.fill_(-1)
        sampler.draw(out=out, seed=1)
        copy = out.clone()
        assert not torch.cuda.current_stream().query()  # the draw did not wait
        out.fill_(-2)
        torch.cuda.current_stream().synchronize()
    assert np.array_equal(copy.cpu().numpy(), expected)


@pytest.mark.parametrize("form", ["object", "integer", "protocol"])
def test_an_explicit_stream(torch, form):
    class Protocol:
        def __init__(self, stream):
            self.stream = stream

        def __cuda_stream__(self):
            return 0, self.stream.cuda_stream

    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    stream = torch.cuda.Stream()
    argument = {"object": stream, "integer": stream.cuda_stream,
                "protocol": Protocol(stream)}[form]
    keep_busy(torch)  # the current one
    samples, probabilities = sampler.draw(1000, seed=1, stream=argument, return_probabilities=True)
    stream.synchronize()
    expected = Sampler(WEIGHTS)
    assert np.array_equal(samples.cpu().numpy(), expected.draw(1000, seed=1))
    assert np.array_equal(probabilities.cpu().numpy(),
                          expected.probabilities()[samples.cpu().numpy()])
    with pytest.raises(TypeError, match="argument 'stream' is of type str"):
        sampler.draw(10, stream="x")


def test_memory_freed_while_a_draw_is_in_flight_is_not_reused(torch):
    """Neither that of `out` nor the table's: later work may not see other samples in it."""
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    sampler.draw(10, seed=0)
    stream = torch.cuda.Stream()
    for _ in range(3):
        out = torch.zeros(1 << 20, dtype=torch.int64, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            keep_busy(torch, 0.05)
        sampler.draw(out=out, stream=stream)
        del out
        other = torch.full((1 << 20,), -7, dtype=torch.int64, device="cuda")
        torch.cuda.synchronize()
        assert bool((other == -7).all())
    short_lived = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    keep_busy(torch)
    samples = short_lived.draw(100_000, seed=1)
    del short_lived
    gc.collect()
    junk = Sampler(torch.ones(1000, device="cuda"))
    assert np.array_equal(samples.cpu().numpy(), Sampler(WEIGHTS).draw(100_000, seed=1))
    assert len(junk) == 1000


def test_cupy_out_freed_while_a_draw_is_in_flight(cupy):
    sampler = Sampler(cupy.asarray(WEIGHTS))
    stream = cupy.cuda.Stream(non_blocking=True)
    out = cupy.zeros(1 << 20, np.int64)
    cupy.cuda.Device().synchronize()
    sampler.draw(out=out, stream=stream)
    del out
    other = cupy.full(1 << 20, -7, np.int64)
    cupy.cuda.Device().synchronize()
    assert bool((other == -7).all())


@pytest.mark.parametrize("size", [1, 100, 2048, 2049, 1_000_003])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_replays_of_a_torch_graph_draw_new_samples(torch, size, dtype):
    sampler, expected = Sampler(torch.tensor(WEIGHTS, device="cuda")), Sampler(WEIGHTS)
    state = wrsgpu.random_state(7, like=torch.zeros(1, device="cuda"))
    out = torch.empty(size, dtype=getattr(torch, dtype), device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sampler.draw(out=out, state=state)
        new = sampler.draw(size, state=state)
    for replay in range(3):
        graph.replay()
        for number, samples in enumerate((out, new)):
            assert np.array_equal(samples.cpu().numpy(), expected.draw(
                size, seed=7, offset=(2 * replay + number) * size))


def test_updates_of_weights_in_a_graph(torch):
    weights = np.asarray(WEIGHTS, np.float32)
    sampler = Sampler(torch.tensor(weights, device="cuda"), keep_weights=True)
    indices = torch.tensor([0, 3], dtype=torch.int32, device="cuda")
    values = torch.tensor([2.0, 5.0], device="cuda")
    state = wrsgpu.random_state(7, like=values)
    out = torch.empty(1000, dtype=torch.int64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sampler.update(indices, values, check=False)
        sampler.draw(out=out, state=state)
    for replay, new in enumerate(([2, 5], [0, 1])):
        values.copy_(torch.tensor(new, dtype=torch.float32))
        graph.replay()
        sampler.finish()
        weights[[0, 3]] = new
        assert np.array_equal(out.cpu().numpy(),
                              Sampler(weights).draw(1000, seed=7, offset=1000 * replay))
    sampler.update(indices, values + 1)
    weights[[0, 3]] += 1
    assert np.array_equal(sampler.draw(1000, seed=1).cpu().numpy(),
                          Sampler(weights).draw(1000, seed=1))
    with pytest.raises(ValueError, match="index 0 is"):
        sampler.update(torch.tensor([1 << 30], device="cuda"), values[:1])


def test_finish_reports_replays_since_a_rebuild_that_checked_at_once(torch):
    """Such as one from host memory, after which graphs of as many weights may run."""
    weights = torch.tensor(WEIGHTS, device="cuda")
    sampler = Sampler(weights, keep_weights=True)
    indices = torch.tensor([3], dtype=torch.int32, device="cuda")
    values = weights[:1].clone()
    of_update, of_rebuild = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    for graph, change, changed, fault in (
            (of_rebuild, lambda: sampler.rebuild(weights, check=False), weights,
             "argument 'weights': weight 0 is negative"),
            (of_update, lambda: sampler.update(indices, values, check=False), values,
             "argument 'values': value 0 is negative")):
        sampler.rebuild(WEIGHTS)
        with torch.cuda.graph(graph):
            change()
        for check in (False, True):
            sampler.rebuild(WEIGHTS, check=check)
            if check:
                with pytest.raises(ValueError, match="finish: no rebuild"):
                    sampler.finish()
            else:
                sampler.finish()
            graph.replay()
            sampler.finish()
            changed[0] = -1
            graph.replay()
            with pytest.raises(ValueError, match=fault):
                sampler.finish()
            changed[0] = 0
    sampler.rebuild(WEIGHTS, check=False)
    sampler.finish()
    assert np.array_equal(sampler.draw(1000, seed=1).cpu().numpy(),
                          Sampler(WEIGHTS).draw(1000, seed=1))


def test_torchs_generator_in_a_graph(torch):
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    generator = torch.cuda.default_generators[torch.cuda.current_device()]
    torch.manual_seed(3)
    eager = [sampler.draw(50, seed=generator).tolist() for _ in range(3)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        samples = sampler.draw(50, seed=generator)
    torch.manual_seed(3)
    replayed = []
    for _ in range(3):
        graph.replay()
        replayed.append(samples.tolist())
    assert replayed == eager
    assert len(set(map(tuple, replayed))) == 3


def test_a_draw_that_replays_would_repeat_is_refused(torch):
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        explicit = sampler.draw(10, seed=1)  # who gives a seed wants these
        for draw in (sampler.draw, sampler.histogram):
            with pytest.raises(RuntimeError, match="is being captured in a CUDA graph"):
                draw(10)
    graph.replay()
    assert explicit.tolist() == Sampler(WEIGHTS).draw(10, seed=1).tolist()


def test_a_plain_cuda_graph_with_rebuild(cupy):
    """Weights that change between replays: rebuild and draw are in the graph."""
    weights = cupy.asarray(WEIGHTS)
    sampler, state = Sampler(weights), wrsgpu.random_state(7, like=weights)
    out = cupy.empty(5000, np.int32)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        sampler.rebuild(weights, check=False)
        sampler.draw(out=out, state=state)
        graph = stream.end_capture()
        for replay in range(3):
            values = np.roll(WEIGHTS, replay * 100)
            weights[...] = cupy.asarray(values)
            graph.launch(stream)
            sampler.finish()
            assert np.array_equal(out.get(), Sampler(values).draw(5000, seed=7,
                                                                  offset=5000 * replay))


def test_a_plain_cuda_graph_with_rebuilt_segments(cupy):
    """Weights and offsets that change between replays; what is invalid is reported after one."""
    lengths = np.array([3, 500, 0, 497])
    offsets = cupy.asarray(np.concatenate([[0], lengths.cumsum()]))
    weights = cupy.asarray(WEIGHTS + 1)
    sampler = wrsgpu.SegmentedSampler(offsets, weights, empty_ok=True)
    segments = cupy.asarray(np.arange(100, dtype=np.int32) % 4)
    stream = cupy.cuda.Stream(non_blocking=True)
    with pytest.raises(ValueError, match="no rebuild"):
        sampler.finish()
    with stream:
        stream.begin_capture()
        sampler.rebuild(offsets, weights, check=False)
        graph = stream.end_capture()
        for replay in range(3):
            values = np.roll(WEIGHTS + 1, replay * 100)
            weights[...] = cupy.asarray(values)
            offsets[1:] = cupy.asarray(np.roll(lengths, replay).cumsum())
            graph.launch(stream)
            sampler.finish()
            expected = wrsgpu.SegmentedSampler(offsets.get(), values, empty_ok=True)
            assert np.array_equal(sampler.draw(segments, 7, seed=1).get(),
                                  expected.draw(segments.get(), 7, seed=1))
        weights[600] = -1
        sampler.rebuild(offsets, weights, check=False)
        with pytest.raises(ValueError, match=r"weight 600 of all\) is negative"):
            sampler.finish()
        assert len(sampler) == 0
        weights[600] = 1
        sampler.rebuild(offsets, weights, check=False)
        sampler.finish()
        assert len(sampler) == 4


def test_numba_arrays_are_read_and_written(torch):
    cuda = pytest.importorskip("numba.cuda", reason="numba is not installed")
    sampler = Sampler(cuda.to_device(WEIGHTS))
    out = cuda.to_device(np.zeros(1000, np.int32))
    sampler.draw(out=out, seed=1)
    assert np.array_equal(out.copy_to_host(), Sampler(WEIGHTS).draw(1000, seed=1))
    with pytest.raises(TypeError, match="pass 'out'"):
        sampler.draw(10)
    with pytest.raises(TypeError, match="argument 'weights' has dtype int64"):
        Sampler(cuda.to_device(np.arange(10)))


def test_arrays_of_other_libraries_as_out(torch, cupy):
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    out = cupy.empty(1000, np.int64)
    sampler.draw(out=out, seed=1)
    assert np.array_equal(out.get(), Sampler(WEIGHTS).draw(1000, seed=1))


def test_the_samplers_device_is_made_current(torch):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda:1"))
    assert torch.cuda.current_device() == 0
    samples = sampler.draw(1000, seed=1)
    assert samples.get_device() == 1
    assert np.array_equal(samples.cpu().numpy(), Sampler(WEIGHTS).draw(1000, seed=1))
    with pytest.raises(ValueError, match="argument 'out' is on GPU 0; it must be on GPU 1"):
        sampler.draw(out=torch.empty(3, dtype=torch.int64, device="cuda:0"))
    assert torch.cuda.current_device() == 0


def test_a_forked_process_is_told(torch):
    sampler = Sampler(torch.tensor(WEIGHTS, device="cuda"))
    child = os.fork()
    if child == 0:
        try:
            sampler.draw(1)
        except RuntimeError as error:
            os._exit(0 if "forked process" in str(error) else 1)
        os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def used_memory(torch):
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return total - free


def test_memory_of_a_sampler(torch):
    """The table alone; from the first rebuild or update on, also what that needs."""
    weights = torch.rand(1 << 24, device="cuda")
    few = Sampler(weights[:1000], keep_weights=True)
    few.rebuild(weights[:1000])
    few.update(torch.tensor([1], dtype=torch.int32, device="cuda"), weights[:1])
    before = used_memory(torch)
    sampler = Sampler(weights)
    room = 8 << 20  # allocations are multiples of 2 MB
    table = 8 * len(sampler)
    assert table <= used_memory(torch) - before <= table + room
    sampler.rebuild(weights)
    with_room = used_memory(torch) - before
    assert table + 5 * len(sampler) <= with_room <= 14.4 * len(sampler) + room
    for check in (True, False):  # no more, and no less
        sampler.rebuild(weights, check=check)
        assert used_memory(torch) - before == with_room
    del sampler
    gc.collect()
    assert used_memory(torch) <= before + room
    before = used_memory(torch)
    segments = wrsgpu.SegmentedSampler(np.arange(0, len(weights) + 1, 1 << 12), weights)
    assert used_memory(torch) - before <= 8 * len(weights) + room
    segments.rebuild(np.arange(0, len(weights) + 1, 1 << 12), weights)
    assert used_memory(torch) - before >= 16 * len(weights)


def test_rebuilds_in_the_first_graph(torch):
    """The memory for them is allocated while they are captured, once, for all sizes."""
    weights = np.asarray(WEIGHTS, np.float32)
    tensor = torch.tensor(weights, device="cuda")
    sampler = Sampler(tensor)
    few, all_of_them = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    out = torch.empty(5000, dtype=torch.int64, device="cuda")
    with torch.cuda.graph(few):
        sampler.rebuild(tensor[:7], check=False)
        sampler.draw(out=out, seed=1)
    few.replay()
    sampler.finish()
    assert np.array_equal(out.cpu().numpy(), Sampler(weights[:7]).draw(5000, seed=1))
    with torch.cuda.graph(all_of_them):
        sampler.rebuild(tensor, check=False)
        sampler.draw(out=out, seed=1)
    for shift in (1, 2):
        tensor.copy_(torch.tensor(np.roll(weights, shift)))
        all_of_them.replay()
        sampler.finish()
        assert np.array_equal(out.cpu().numpy(), Sampler(np.roll(weights, shift)).draw(5000, seed=1))
    segments = wrsgpu.SegmentedSampler(np.array([0, 500, 1000]), tensor)
    offsets = torch.tensor([0, 10, 1000], device="cuda")
    both = torch.tensor([0, 1], dtype=torch.int32, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        segments.rebuild(offsets, tensor, check=False)
        drawn = segments.draw(both, 100, seed=1)
    graph.replay()
    segments.finish()
    expected = wrsgpu.SegmentedSampler([0, 10, 1000], tensor.cpu().numpy()).draw(None, 100, seed=1)
    assert np.array_equal(drawn.cpu().numpy(), expected)


def choices(weights):
    """Functions that write items, and the numbers of items to ask them for."""
    sampler = Sampler(weights, keep_weights=True)
    schemes = ("systematic", "stratified", "residual", "multinomial")
    return {"choose": (sampler.choose, (1, 100, 700)),
            "draw_distinct": (sampler.draw_distinct, (1, 100, 700)),
            "choice": (functools.partial(wrsgpu.choice, weights, replace=False), (1, 100, 700)),
            **{scheme: (functools.partial(wrsgpu.resample, weights, scheme=scheme),
                        (1, 1000, 50_000)) for scheme in schemes}}


CHOICES = sorted(choices(WEIGHTS))


@pytest.mark.parametrize("name", CHOICES)
def test_choices_in_a_torch_graph(torch, name):
    """Replays are the successive calls."""
    weights = torch.tensor(WEIGHTS, device="cuda")
    (call, sizes), (of_numpy, _) = choices(weights)[name], choices(WEIGHTS)[name]
    for size in sizes:
        state, same = wrsgpu.random_state(7, like=weights), wrsgpu.random_state(7)
        outs = [torch.empty(size, dtype=kind, device="cuda") for kind in (torch.int32, torch.int64)]
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for out in outs:
                call(out=out, state=state, check=False)
            new = [call(size, state=state, dtype=kind, check=False) for kind in ("int64", "int32")]
            repeated = call(size, seed=3, check=False)
            for arguments, message in (({"state": state}, "pass check=False"),
                                       ({"seed": 1}, "pass check=False")):
                with pytest.raises(RuntimeError, match=message):
                    call(size, **arguments)
            with pytest.raises((RuntimeError, TypeError), match="a draw without seed is|needs a"):
                call(size, check=False)
        assert state.tolist() == [7, 0]
        for _ in range(3):
            graph.replay()
            for items in (*outs, *new):
                assert np.array_equal(items.cpu().numpy(), of_numpy(size, state=same))
            assert np.array_equal(repeated.cpu().numpy(), of_numpy(size, seed=3))
        assert state.tolist() == same.tolist()
        eager = call(size, state=state, check=False)  # continues
        assert np.array_equal(eager.cpu().numpy(), of_numpy(size, state=same))


def test_counts_in_a_torch_graph(torch):
    weights = torch.tensor(WEIGHTS, device="cuda")
    state = wrsgpu.random_state(7, like=weights)
    out = torch.empty(1000, dtype=torch.int64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        wrsgpu.multinomial_counts(weights, 10**9, out=out, state=state, check=False)
        with pytest.raises(RuntimeError, match="pass check=False"):
            wrsgpu.multinomial_counts(weights, 10**9, state=state)
    for replay in range(3):
        graph.replay()
        assert np.array_equal(out.cpu().numpy(),
                              wrsgpu.multinomial_counts(WEIGHTS, 10**9, seed=7, offset=replay))
    keep_busy(torch)
    wrsgpu.multinomial_counts(weights, 10**9, out=out, state=state, check=False)
    assert not torch.cuda.current_stream().query()  # it did not wait


@pytest.mark.parametrize("name", CHOICES)
def test_choices_in_a_plain_cuda_graph(cupy, name):
    weights = cupy.asarray(WEIGHTS)
    (call, sizes), (of_numpy, _) = choices(weights)[name], choices(WEIGHTS)[name]
    outs = [cupy.empty(sizes[-1], kind) for kind in (np.int32, np.int64)]
    state, same = wrsgpu.random_state(7, like=weights), wrsgpu.random_state(7)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for out in outs:
            call(out=out, state=state, check=False)
        graph = stream.end_capture()
        for _ in range(3):
            graph.launch(stream)
            for out in outs:
                assert np.array_equal(out.get(), of_numpy(sizes[-1], state=same))


@pytest.mark.parametrize("name", ["choose", "choice", "multinomial"])
def test_torchs_generator_in_a_graph_of_choices(torch, name):
    call, (_, size, _) = choices(torch.tensor(WEIGHTS, device="cuda"))[name]
    generator = torch.cuda.default_generators[torch.cuda.current_device()]
    torch.manual_seed(3)
    eager = [call(size, seed=generator).tolist() for _ in range(3)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        items = call(size, seed=generator, check=False)
    torch.manual_seed(3)
    for expected in eager:
        graph.replay()
        assert items.tolist() == expected
    assert len(set(map(tuple, eager))) == 3


@pytest.mark.parametrize("name", CHOICES)
def test_choices_do_not_wait(torch, name):
    """They come after earlier work on their stream and before later, and the host waits for neither."""
    weights = torch.tensor(WEIGHTS, device="cuda")
    (call, (_, size, _)), (of_numpy, _) = choices(weights)[name], choices(WEIGHTS)[name]
    call(size, seed=1, check=False)  # a kernel's first launch may wait for the device
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    for where in (torch.cuda.current_stream(), stream):
        out = torch.zeros(size, dtype=torch.int64, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(where):
            keep_busy(torch)
            out.fill_(-5)
        call(out=out, seed=1, check=False, stream=where)
        new = call(size, seed=1, check=False, stream=where)
        with torch.cuda.stream(where):
            copies = out.clone(), new.clone()
            assert not where.query()
            out.fill_(-6)
        where.synchronize()
        for copy in copies:
            assert np.array_equal(copy.cpu().numpy(), of_numpy(size, seed=1))
    keep_busy(torch)
    checked = call(size, seed=1, stream=stream)  # whose result is there for all streams
    with torch.cuda.stream(torch.cuda.Stream()):
        assert np.array_equal(checked.cpu().numpy(), of_numpy(size, seed=1))
    if name in ("choose", "draw_distinct"):  # the others' weights could be converted on the current one
        assert not torch.cuda.current_stream().query()


def test_memory_of_choices_in_flight_is_not_reused(torch):
    """Neither that of the weights nor that of `out`, nor what the work needs."""
    call, (of_numpy, _) = wrsgpu.choice, choices(WEIGHTS)["choice"]
    stream = torch.cuda.Stream()
    call(torch.tensor(WEIGHTS, device="cuda"), 700, False, seed=1, check=False)
    for values in (WEIGHTS, WEIGHTS.astype(np.int32)):  # the others are converted
        weights = torch.tensor(values, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            keep_busy(torch, 0.05)
        items = [call(weights, 700, False, seed=seed, check=False, stream=stream)
                 for seed in range(5)]
        del weights
        junk = [torch.full((1000,), -7.0, dtype=torch.float64, device="cuda") for _ in range(4)]
        stream.synchronize()
        for seed, drawn in enumerate(items):
            assert np.array_equal(drawn.cpu().numpy(), of_numpy(700, seed=seed))
        assert all(bool((tensor == -7).all()) for tensor in junk)


def test_multinomial_in_a_graph(torch):
    """Of one row without replacement; the rest is refused. Torch captures it, too."""
    multinomial = wrsgpu.torch.multinomial
    weights = torch.rand(5000, device="cuda")
    weights[::2] = 0
    out = torch.empty(2000, dtype=torch.int64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        many, one = multinomial(weights, 2000), multinomial(weights[1:2], 1, True)
        assert multinomial(weights, 2000, out=out) is out
        theirs = torch.multinomial(weights, 2000)
        for arguments in ((weights, 2, True), (weights.reshape(2, -1), 2, False),
                          (weights.reshape(2, -1), 2, True)):
            with pytest.raises(RuntimeError, match="multinomial of several rows or with replacement"):
                multinomial(*arguments)
    drawn = []
    for _ in range(3):
        graph.replay()
        for samples in (many, out, theirs):
            assert len(set(samples.tolist())) == 2000
            assert bool((samples % 2 == 1).all())
        assert one.tolist() == [0]
        drawn += [many.tolist(), out.tolist()]
    assert len(set(map(tuple, drawn))) == 6
    weights[7] = -1
    with torch.cuda.graph(graph := torch.cuda.CUDAGraph()):
        many = multinomial(weights, 2000)
    graph.replay()
    assert many.tolist() == [-1] * 2000


def test_memory_of_a_draw_is_that_of_out(torch):
    sampler = Sampler(torch.rand(1 << 20, device="cuda"))
    sampler.draw(10)
    out = torch.empty(1 << 26, dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    free, _ = torch.cuda.mem_get_info()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.max_memory_allocated()
    sampler.draw(out=out)
    torch.cuda.synchronize()
    assert torch.cuda.max_memory_allocated() == before
    assert torch.cuda.mem_get_info()[0] == free


def test_the_readmes_example_of_torch(torch):
    names = {"wrsgpu": wrsgpu}
    exec(examples_of_readme()[1], names)
    assert names["samples"].shape == (100,)
    assert 0 <= next(iter(names["loader"])).item() < 1_000_000
