"""The operator wrsgpu::draw, and torch.compile."""

import numpy as np
import pytest

import wrsgpu
from wrsgpu import Sampler

torch = pytest.importorskip("torch", reason="torch is not installed")
import wrsgpu.torch  # noqa: E402

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(
    not (wrsgpu.has_cuda and torch.cuda.is_available()), reason="needs a GPU"))]
WEIGHTS = np.arange(1000.0)


@pytest.fixture(params=DEVICES)
def table(request):
    return wrsgpu.torch.table(Sampler(torch.tensor(WEIGHTS, device=request.param)))


def expected(size, offset=0):
    return Sampler(WEIGHTS).draw(size, seed=7, offset=offset).tolist()


def test_draws_what_the_sampler_does(table):
    assert table.shape == (1000, 2)
    state, offset = wrsgpu.random_state(7, like=table), 0
    for size in (0, 1, 2048, 2049, 100_003):
        samples = wrsgpu.torch.draw(table, state, size)
        assert (samples.dtype, samples.device) == (torch.int64, table.device)
        assert samples.tolist() == expected(size, offset)
        offset += size
        assert state.tolist() == [7, offset]


def test_passes_opcheck(table):
    state = wrsgpu.random_state(7, like=table)
    result = torch.library.opcheck(wrsgpu.torch.draw, (table, state, 100))
    assert set(result.values()) == {"SUCCESS"}


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_is_compiled_in_one_graph(table, mode, monkeypatch):
    """On the CPU without Inductor, which takes a minute to compile its C++."""
    if table.is_cuda:
        from torch._inductor import config
        # A pool of compiling processes, each of which imports torch, takes longer than the kernel.
        monkeypatch.setattr(config, "compile_threads", 1)
        arguments = {"mode": mode}
    elif mode == "default":
        arguments = {"backend": "aot_eager"}
    else:
        pytest.skip("CUDA graphs need a GPU")

    @torch.compile(fullgraph=True, **arguments)
    def step(table, state, values):
        samples = wrsgpu.torch.draw(table, state, 50)
        return samples, values[samples] * 2

    values = torch.arange(1000.0, device=table.device)
    state = wrsgpu.random_state(7, like=table)
    for number in range(5):
        samples, doubled = step(table, state, values)
        assert samples.tolist() == expected(50, 50 * number)
        assert torch.equal(doubled, values[samples] * 2)


def test_the_table_outlives_its_sampler_and_follows_rebuilds(table):
    sampler = Sampler(torch.tensor(WEIGHTS, device=table.device))
    table = wrsgpu.torch.table(sampler)
    sampler.rebuild(torch.tensor(WEIGHTS[::-1].copy(), device=table.device))
    state = wrsgpu.random_state(7, like=table)
    assert wrsgpu.torch.draw(table, state, 100).tolist() == Sampler(WEIGHTS[::-1]).draw(
        100, seed=7).tolist()
    sampler.rebuild(torch.ones(10_000, device=table.device))  # another table
    assert sampler.draw(100, seed=1).tolist() == Sampler(np.ones(10_000)).draw(100, seed=1).tolist()
    del sampler
    state = wrsgpu.random_state(7, like=table)
    assert wrsgpu.torch.draw(table, state, 100).tolist() == Sampler(WEIGHTS[::-1]).draw(
        100, seed=7).tolist()


def test_rejects_other_tensors(table):
    state = wrsgpu.random_state(7, like=table)
    for arguments in ((table.long(), state), (table[:, :1], state), (table.t(), state),
                      (table[:0], state), (table[0, 0], state), (table, state.int()),
                      (table, torch.zeros(3, dtype=torch.int64))):
        with pytest.raises(ValueError, match="it must be what"):
            wrsgpu.torch.draw(*arguments, 10)
    with pytest.raises(MemoryError):
        wrsgpu.torch.draw(table, state, 1 << 58)
    for size in (-1, 1 << 62):
        with pytest.raises(ValueError, match=f"argument 'size' is {size}"):
            wrsgpu.torch.draw(table, state, size)


def test_calls_of_a_sampler_break_the_graph():
    """Without fullgraph everything can be called in a compiled function, and draws once."""
    weights = torch.tensor(WEIGHTS)
    sampler = Sampler(weights, seed=7)

    @torch.compile(backend="eager")
    def step(values):
        items = sampler.draw(5)
        return values[items] * 2, wrsgpu.torch.multinomial(weights, 3, True)

    for call in range(3):
        values, items = step(weights)
        assert values.tolist() == [2 * item for item in expected(5, 5 * call)]
        assert items.shape == (3,)
    assert sampler.offset == 15
