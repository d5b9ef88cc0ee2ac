"""What only PyTorch has, on the CPU and, where there is one, on a GPU."""

import collections
import doctest
import re
import threading
import time

import numpy as np
import pytest

import wrsgpu
from wrsgpu import Sampler
from wrsgpu._arguments import seed_word
from wrsgpu._choose import draw_from_rows

torch = pytest.importorskip("torch", reason="torch is not installed")
import wrsgpu.torch  # noqa: E402
from wrsgpu.torch import WeightedRandomSampler, multinomial  # noqa: E402

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(
    not (wrsgpu.has_cuda and torch.cuda.is_available()), reason="needs a GPU"))]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def test_examples_of_docstrings():
    assert doctest.testmod(wrsgpu.torch).failed == 0
    example = doctest.DocTestParser().get_doctest(wrsgpu.torch.draw.__doc__, vars(wrsgpu.torch),
                                                  "draw", None, None)
    assert doctest.DocTestRunner().run(example) == doctest.TestResults(failed=0, attempted=2)


@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 7), (3, 1)])
def test_multinomial_has_the_form_of_torchs(device, shape):
    weights = torch.rand(shape, device=device)
    expected = torch.multinomial(weights, 6, replacement=True)
    samples = multinomial(weights, 6, replacement=True)
    assert (samples.shape, samples.dtype, samples.device) == (
        expected.shape, expected.dtype, expected.device)
    assert samples.min() >= 0
    assert samples.max() < shape[-1]
    out = torch.full_like(expected, -1)
    assert multinomial(weights, 6, True, out=out) is out
    assert out.min() >= 0
    many = torch.ones(3000, device=device)
    out = torch.full((3000,), -1, device=device)
    assert multinomial(many, 3000, out=out) is out
    assert torch.equal(out.sort().values, torch.arange(3000, device=device))
    different = multinomial(weights, shape[-1])
    assert (different.shape, different.dtype, different.device) == (
        weights.shape, expected.dtype, expected.device)
    assert torch.equal(different.sort(-1).values, torch.arange(
        shape[-1], device=device).expand(shape))


def test_what_is_no_bool_is_taken_for_one():
    weights = torch.tensor([0.0, 2])
    for yes in (1, np.True_):
        assert wrsgpu.torch.multinomial(weights, 3, yes).tolist() == [1, 1, 1]
        assert wrsgpu.SegmentedSampler([0, 2], weights).draw([0], 1, local=yes).tolist() == [[1]]


def test_multinomial_draws_rows_from_their_weights(device):
    """A false alarm: 6 sigma of one of 8 frequencies."""
    weights = torch.tensor([[1.0, 0, 3, 0], [0.0, 5, 5, 0]], device=device)
    samples = multinomial(weights, 1_000_000, replacement=True)
    for row, probabilities in enumerate([[0.25, 0, 0.75, 0], [0, 0.5, 0.5, 0]]):
        counts = torch.bincount(samples[row], minlength=4).tolist()
        for count, p in zip(counts, probabilities, strict=True):
            assert abs(count - 1e6 * p) <= 6 * (1e6 * p * (1 - p)) ** 0.5
    assert not torch.equal(samples[0, :100], samples[1, :100])


def test_multinomial_chooses_from_rows_by_weight(device):
    """A false alarm: 6 sigma of one of 6 frequencies of ordered pairs."""
    weights = torch.tensor([1.0, 2, 3], device=device).expand(100_000, 3)
    first, second = multinomial(weights, 2).T
    counts = torch.bincount(3 * first + second, minlength=9).tolist()
    for a in range(3):
        for b in range(3):
            p = 0 if a == b else (a + 1) / 6 * (b + 1) / (5 - a)
            assert abs(counts[3 * a + b] - 1e5 * p) <= 6 * (1e5 * p * (1 - p)) ** 0.5
    with pytest.raises(ValueError, match="positive"):
        multinomial(torch.tensor([[1.0, 2], [3, 0]], device=device), 2)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("items", [1, 3, 2048, 2049])
def test_multinomial_of_types_and_layouts(device, items, replacement):
    weights = (torch.arange(items, device=device) + 1) % 3  # every third is 0
    positive = int((weights > 0).sum())
    results = []
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64):
        row = weights.to(dtype)
        torch.manual_seed(1)
        samples = multinomial(row, positive, replacement)
        assert bool((weights[samples] > 0).all())
        assert replacement or samples.unique().numel() == positive
        results.append(samples.tolist())
        columns = torch.stack([row, row.flip(0)], 1)
        out = torch.empty((2, positive), dtype=torch.int64, device=device)
        assert multinomial(columns.t(), positive, replacement, out=out) is out
        assert bool((weights[out[0]] > 0).all())
        assert bool((weights.flip(0)[out[1]] > 0).all())
    assert results == 5 * results[:1]
    with pytest.raises(ValueError, match="'out'.*contiguous"):
        multinomial(columns.t(), 2, True, out=torch.empty((2, 2), dtype=torch.int64,
                                                          device=device).t())
    if device == "cuda":
        with pytest.raises(ValueError, match="argument 'generator' is of device cpu"):
            multinomial(row, 1, True, generator=torch.Generator())
        with pytest.raises(ValueError, match="on cpu; it must have shape"):
            multinomial(row, 1, True, out=torch.empty(1, dtype=torch.int64))


def test_multinomial_of_long_rows(device):
    """Few samples, without tables, are those of the CPU; many have the same law."""
    torch.manual_seed(5)
    matrix = torch.rand(3, 5000)
    matrix[:, 3000:] = 0
    matrix[1, 17] = 1000
    for samples in (1, 700, 2000):
        few = draw_from_rows(matrix.to(device), samples, True, 7)
        assert torch.equal(few.cpu(), draw_from_rows(matrix, samples, True, 7))
        assert few.max() < 3000
    for samples in (8192, 8193):
        drawn = multinomial(matrix[1].to(device), samples, True)
        p = 1000 / matrix[1].sum().item()
        assert abs(int((drawn == 17).sum()) - samples * p) < 6 * (samples * p * (1 - p)) ** 0.5
        assert drawn.unique().numel() > 2000
    with pytest.raises(ValueError, match="weight 4999 of row 2 is negative"):
        matrix[2, 4999] = -1
        multinomial(matrix.to(device), 1)


@pytest.mark.parametrize("columns", [1, 2, 2048, 2049])
def test_multinomial_of_many_samples_from_one_row_has_a_table(device, columns):
    """Which a GPU, that searches short rows as fast, does not need for them."""
    row = torch.rand(columns, device=device) + 0.1
    for samples in (8192, 8193):
        same = [torch.Generator(device).manual_seed(3) for _ in range(2)]
        drawn = multinomial(row, samples, True, generator=same[0])
        seed = seed_word(same[1])
        if samples == 8193 and (columns > 2048 or device == "cpu"):
            assert torch.equal(drawn, wrsgpu.Sampler(row, seed=seed).draw(samples))
        else:
            assert torch.equal(drawn, draw_from_rows(row, samples, True, seed))
    with pytest.raises(ValueError, match="argument 'input': weight 0 is negative"):
        multinomial(-row, 8193, True)


def test_the_interpreter_goes_on_during_multinomial():
    """Also while what has been drawn is searched and copied, a third of the time."""
    weights = torch.ones(1 << 13, 4)
    out = torch.empty(1 << 13, 1 << 13, dtype=torch.int64)
    draw = threading.Thread(target=multinomial, args=(weights, 1 << 13, True), kwargs={"out": out})
    begin = last = time.monotonic()
    pauses = []
    draw.start()
    while draw.is_alive():
        time.sleep(0.001)
        now = time.monotonic()
        pauses.append(now - last)
        last = now
    assert max(pauses) < (last - begin) / 5


def test_multinomial_takes_torchs_generator(device):
    weights = torch.rand(1000, device=device)

    def draw(generator=None):
        return multinomial(weights, np.int64(50), True, generator=generator).tolist()

    # As many different seeds; torch's own numbers differ from them, and go on.
    assert len({tuple(draw()) for _ in range(100)}) == 100
    one, other = torch.rand(50, device=device), torch.rand(50, device=device)
    assert not torch.equal(one, other)

    torch.manual_seed(3)
    first, second = draw(), draw()
    torch.manual_seed(3)
    assert [draw(), draw()] == [first, second]
    assert first != second
    generator = torch.Generator(device).manual_seed(5)
    third, fourth = draw(generator), draw(generator)
    assert third != fourth
    assert draw(torch.Generator(device).manual_seed(5)) == third
    torch.manual_seed(3)  # the generator of others is not used
    draw(generator)
    assert draw() == first


@pytest.mark.parametrize(("arguments", "error", "message"), [
    (([1.0, -1], 1), ValueError, "weight 1 is negative"),
    (([1.0, float("nan")], 1), ValueError, "weight 1 is not a number (nan)"),
    (([0.0, 0], 1), ValueError, "all 2 weights are zero"),
    (([], 1), ValueError, "argument 'input' has shape (0,); at least one weight is needed"),
    (([[[1.0]]], 1), ValueError, "argument 'input' has shape (1, 1, 1)"),
    (([1.0], 0), ValueError, "argument 'num_samples' is 0; it must be between 1 and"),
    (([1.0], -1), ValueError, "argument 'num_samples' is -1"),
    (([1.0, 2], 3), ValueError, "without replacement at most"),
    (([1.0, 0], 2), ValueError, "positive"),
    (([[1.0, 2], [3, -1]], 1), ValueError, "weight 1"),
    (([[1.0, 2], [0, 0]], 1), ValueError, "all 2 weights"),
    (([[1.0, 2], [0, 1]], 2), ValueError, "only 1 weight of row 1 is positive; 2 are needed"),
])
def test_multinomial_rejects_what_torch_does(device, arguments, error, message):
    weights, count = arguments
    weights = torch.tensor(weights, device=device)
    only_without, only_with = "replacement" in message or count == 2, weights.numel() == 0
    for replacement in [False] if only_without else [True] if only_with else [False, True]:
        with pytest.raises(error, match=re.escape(message)):
            multinomial(weights, count, replacement)
    with pytest.raises(ValueError, match="argument 'out' has shape"):
        multinomial(torch.ones(3, device=device), 2, True,
                    out=torch.empty(3, dtype=torch.int64, device=device))
    with pytest.raises(ValueError, match="argument 'out' has .* on meta; it must have"):
        multinomial(torch.ones(3, device=device), 2, True,
                    out=torch.empty(2, dtype=torch.int64, device="meta"))


@pytest.mark.parametrize(("weights", "message"), [
    ([1, 2**53 + 1], "argument 'input': weight 1 is 9007199254740993, which a"),
    ([[1, 2], [2**53 + 1, 1]], "weight 0 of row 1 is 9007199254740993, which a"),
])
def test_multinomial_rejects_integers_that_a_double_is_not(weights, message):
    for replacement in (False, True):
        with pytest.raises(ValueError, match=re.escape(message)):
            multinomial(torch.tensor(weights), 1, replacement)


def test_multinomial_of_no_row_and_of_no_tensor(device):
    for replacement in (False, True):
        assert multinomial(torch.empty(0, 3, device=device), 2, replacement).shape == (0, 2)
    with pytest.raises(TypeError, match="argument 'input' is of type list"):
        multinomial([1.0, 2], 1)
    weights = torch.ones(3, device=device)
    for changed, message in (({"out": [1, 2]}, "'out' is of type list"),
                             ({"generator": 5}, "'generator' is of type int"),
                             ({"input": weights.to_sparse()}, "'input' has layout"),
                             ({"input": weights * 1j}, "'input' has dtype torch.complex64")):
        with pytest.raises(TypeError, match=f"argument {message}"):
            multinomial(**{"input": weights, "num_samples": 2, **changed})
    with pytest.raises(TypeError, match="argument 'sampler' is of type Tensor"):
        wrsgpu.torch.table(torch.ones(3, device=device))


def test_tensors_without_memory(device):
    sampler = wrsgpu.Sampler(torch.ones(3, device=device))
    for call, tensor in ((wrsgpu.Sampler, torch.ones(3, device=device)),
                         (lambda out: sampler.draw(out=out),
                          torch.ones(3, dtype=torch.int64, device=device))):
        tensor.untyped_storage().resize_(0)
        with pytest.raises(ValueError, match="without memory"):
            call(tensor)
    for dtype in (torch.int64, torch.int32, torch.float16):
        tensor = torch.ones(3, dtype=dtype, device=device)
        tensor.untyped_storage().resize_(0)
        for call in (wrsgpu.Sampler, lambda weights: multinomial(weights, 2)):
            with pytest.raises(ValueError, match="without memory"):
                call(tensor)


ARGUMENTS = [
    ("weights", Sampler),
    ("weights", lambda tensor: wrsgpu.choice(tensor, 2, replace=False)),
    ("weights", lambda tensor: wrsgpu.SegmentedSampler(torch.tensor([0, 3]), tensor)),
    ("input", lambda tensor: multinomial(tensor, 2)),
    ("out", lambda tensor: Sampler(torch.ones(3), seed=1).draw(out=tensor)),
    ("state", lambda tensor: Sampler(torch.ones(3), seed=1).draw(2, state=tensor)),
    ("indices", lambda tensor: Sampler(torch.ones(3), seed=1, keep_weights=True).update(
        tensor, torch.ones(3))),
    ("values", lambda tensor: Sampler(torch.ones(3), seed=1, keep_weights=True).update(
        torch.tensor([0, 1, 2]), tensor)),
]


@pytest.mark.parametrize(("name", "call"), [
    *ARGUMENTS,
    ("out", lambda tensor: multinomial(torch.ones(3), 2, out=tensor)),
    ("out", lambda tensor: wrsgpu.resample(torch.ones(3), out=tensor)),
    ("out", lambda tensor: wrsgpu.sample_without_replacement(5, out=tensor)),
    ("weights", wrsgpu.resample),
    ("weights", lambda tensor: wrsgpu.SegmentedSampler(None, tensor)),
    ("offsets", lambda tensor: wrsgpu.SegmentedSampler(tensor, torch.ones(3))),
    ("place", lambda tensor: wrsgpu.shuffle(5)[tensor]),
])
@pytest.mark.parametrize("layout", ["coo", "csr", "nested", "jagged"])
def test_tensors_that_are_not_dense_are_refused(name, call, layout):
    dtype = torch.float32 if name in ("weights", "input", "values") else torch.int64
    dense = torch.tensor([[1, 0, 1], [0, 1, 1]], dtype=dtype)
    if layout in ("coo", "csr"):
        tensor = dense.to_sparse() if layout == "coo" else dense.to_sparse_csr()
    else:
        tensor = torch.nested.nested_tensor(
            [dense[0], dense[1]], layout=torch.jagged if layout == "jagged" else torch.strided)
    with pytest.raises(TypeError, match=f"argument '{name}' has layout .* must be a dense tensor"):
        call(tensor)


@pytest.mark.parametrize(("name", "call"), ARGUMENTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_transformations_of_functions_are_refused(name, call, dtype):
    if dtype == torch.float32 and name in ("out", "state", "indices"):
        pytest.skip("these are integers")
    with pytest.raises(TypeError, match=f"argument '{name}' is a tensor of torch.vmap"):
        torch.vmap(call)(torch.ones(2, 3, dtype=dtype))


def test_results_that_do_not_fit_in_memory(device):
    with pytest.raises(MemoryError):
        Sampler(torch.ones(3, device=device)).draw(1 << 50)


def test_more_categories_than_torch_has(device):
    weights = torch.zeros((1 << 24) + 5, device=device)
    weights[-1] = 1
    assert multinomial(weights, 3, True).tolist() == [(1 << 24) + 4] * 3


def test_weights_that_are_special(device):
    values = [1.0, 0, 3, 2]
    expected = Sampler(values).draw(1000, seed=1).tolist()
    leaf = torch.tensor(values, device=device, requires_grad=True)
    negated = torch.complex(torch.zeros(4, device=device),
                            -torch.tensor(values, device=device)).conj().imag
    assert negated.is_neg()
    parameter = torch.nn.Parameter(torch.tensor(values, device=device))
    for weights in (leaf, leaf * 2, negated, parameter, leaf.expand(3, 4)[1]):
        assert Sampler(weights).draw(1000, seed=1).tolist() == expected
    for weights in (-leaf.detach(), torch.tensor([1j], device=device).conj().imag):
        with pytest.raises(ValueError, match="weight 0 is negative"):
            Sampler(weights)
    for weights, message in ((leaf.detach().to_sparse(), "has layout torch.sparse_coo"),
                             (torch.ones(4, device="meta"), "is on device meta")):
        with pytest.raises(TypeError, match=f"argument 'weights' {message}"):
            Sampler(weights)


def test_autograd_notices_that_out_is_written(device):
    table = torch.rand(10, 3, device=device, requires_grad=True)
    index = torch.zeros(4, dtype=torch.int64, device=device)
    loss = table.mul(2)[index].square().sum()
    Sampler(torch.ones(10, device=device)).draw(out=index)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_manual_seed_determines_omitted_seeds(device):
    def draw():
        torch.manual_seed(9)
        return Sampler(torch.ones(1000, device=device)).draw(20).tolist()

    assert draw() == draw()
    sampler = Sampler(torch.ones(1000, device=device))
    generator = torch.Generator(device).manual_seed(1)
    one, other = (sampler.draw(20, seed=generator).tolist() for _ in range(2))
    assert one != other
    assert sampler.draw(20, seed=torch.Generator(device).manual_seed(1)).tolist() == one


@pytest.mark.parametrize("draw", [
    lambda w: wrsgpu.choice(w, 20), lambda w: wrsgpu.choice(w, 20, replace=False),
    lambda w: wrsgpu.resample(w, 20, "multinomial"),
    lambda w: wrsgpu.sample_without_replacement(10**6, 20, like=w)])
def test_manual_seed_determines_the_omitted_seed_of_a_call(draw, device):
    def after(seed):
        torch.manual_seed(seed)
        return draw(torch.ones(10**5, device=device)).tolist()

    assert after(9) == after(9)
    assert after(9) != after(8)


@pytest.mark.parametrize("draw", [
    lambda w, state: wrsgpu.choice(w, 5, state=state),
    lambda w, state: wrsgpu.choice(w, 2, replace=False, state=state),
    lambda w, state: wrsgpu.resample(w, state=state),
    lambda w, state: wrsgpu.multinomial_counts(w, 9, state=state)])
def test_a_call_with_a_state_takes_nothing_from_torchs_generator(draw, device):
    weights = torch.ones(3, device=device)
    state = wrsgpu.random_state(7, like=weights)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    draw(weights, state)
    assert torch.equal(torch.get_rng_state(), before)


def test_no_rank_repeats_what_another_draws_in_any_epoch():
    drawn = set()
    for rank in range(3):
        sampler = WeightedRandomSampler(torch.ones(10**6), 60, seed=4, num_replicas=3, rank=rank)
        for epoch in range(3):
            sampler.set_epoch(epoch)
            drawn.add(tuple(sampler))
    assert len(drawn) == 9


def test_torchs_default_device_changes_nothing(device):
    weights = torch.ones(3, device=device)
    with torch.device("meta"):
        sampler = Sampler(weights)
        state = wrsgpu.random_state(1, like=weights)
        samples = [sampler.draw(2, return_probabilities=True)[0], multinomial(weights, 2),
                   wrsgpu.choice(weights, 2, replace=False), wrsgpu.resample(weights),
                   wrsgpu.SegmentedSampler([0, 3], weights).draw([0], 2),
                   wrsgpu.torch.draw(wrsgpu.torch.table(sampler), state, 2)]
        assert len(list(WeightedRandomSampler(weights, 2))) == 2
    assert {each.device.type for each in samples} == {device}


def test_weighted_random_sampler():
    weights = [0.0, 1, 2, 0, 1]
    sampler = WeightedRandomSampler(weights, 1000)
    torchs = torch.utils.data.WeightedRandomSampler(weights, 1000)
    assert len(sampler) == len(torchs)
    first, second = list(sampler), list(sampler)
    assert len(first) == 1000
    assert isinstance(first[0], int)
    assert set(first) == {1, 2, 4}
    assert first != second
    counts = collections.Counter(first + second)
    assert abs(counts[2] - 1000) < 6 * (2000 * 0.25) ** 0.5  # six sigma
    loader = torch.utils.data.DataLoader(torch.arange(5), batch_size=10, sampler=sampler)
    assert set(torch.cat(list(loader)).tolist()) == {1, 2, 4}
    many = np.zeros((1 << 24) + 5)
    many[-1] = 1
    assert list(WeightedRandomSampler(many, 3)) == [(1 << 24) + 4] * 3


def test_weighted_random_sampler_is_determined_by_its_seed():
    def draw(**arguments):
        sampler = WeightedRandomSampler(np.ones(1000), 20, **arguments)
        return [list(sampler), list(sampler)]

    assert draw(seed=1) == draw(seed=1)
    assert draw(generator=torch.Generator().manual_seed(1)) == draw(
        generator=torch.Generator().manual_seed(1))
    assert draw() != draw()


def test_weighted_random_sampler_of_several_ranks():
    ranks = [WeightedRandomSampler(np.ones(10**6), 100_000, seed=4, num_replicas=np.uint8(3),
                                   rank=rank) for rank in range(3)]
    assert {len(sampler) for sampler in ranks} == {33_334}
    taken = [list(sampler) for sampler in ranks]
    all_of_them = Sampler(np.ones(10**6)).draw(3 * 33_334, seed=4).tolist()
    assert [index for part in taken for index in part] == all_of_them
    assert [list(sampler) for sampler in ranks] != taken  # the next epoch
    for sampler in ranks:
        sampler.set_epoch(0)
    assert [list(sampler) for sampler in ranks] == taken


@pytest.mark.parametrize("replicas", [1, 3])
def test_weighted_random_sampler_without_replacement(replicas):
    def ranks(**arguments):
        return [WeightedRandomSampler(np.ones(1000), 100, False, seed=4, num_replicas=replicas,
                                      rank=rank, **arguments) for rank in range(replicas)]

    samplers = ranks()
    epochs = [[list(sampler) for sampler in samplers] for _ in range(2)]
    weights = Sampler(np.ones(1000), keep_weights=True)
    for epoch, taken in enumerate(epochs):
        expected = weights.choose(100, seed=4, offset=epoch * 1000).tolist()
        together = [index for part in taken for index in part]
        assert len(together) == replicas * -(-100 // replicas)
        assert len(set(together)) == 100
        assert together[100:] == together[:len(together) - 100]
        assert together[:100] == expected
    iteration = iter(samplers[0])
    begun = [next(iteration) for _ in range(10)]
    resumed = ranks()[0]
    resumed.load_state_dict(samplers[0].state_dict())
    assert list(resumed) == list(iteration)
    assert len(begun) == 10


def test_weighted_random_sampler_resumes():
    def new(seed):
        return WeightedRandomSampler(np.ones(1000), 70_000, seed=seed)

    sampler = new(4)
    list(sampler)
    iteration = iter(sampler)
    begun = [next(iteration) for _ in range(66_000)]
    state = sampler.state_dict()
    rest, following = list(iteration), list(sampler)
    resumed = new(5)
    resumed.load_state_dict(state)
    assert [list(resumed), list(resumed)] == [rest, following]
    assert len(begun) + len(rest) == 70_000
    assert begun != following[:66_000]
    older, newer = iter(sampler), iter(sampler)
    next(older), next(newer), next(older)
    assert sampler.state_dict()["taken"] == 1  # of the newer one
    sampler.set_epoch(7)
    next(newer)
    assert sampler.state_dict() == {"seed": 4, "epoch": 7, "taken": 0, "num_samples": 70_000,
                                    "num_replicas": 1}
    finished = new(5)
    finished.load_state_dict({**state, "taken": 70_000})
    assert [list(finished), list(finished)] == [[], following]


@pytest.mark.parametrize(("change", "error", "message"), [
    (lambda state: None, TypeError, "argument 'state' is of type NoneType; it must be what"),
    (lambda state: [*state.items()], TypeError, "argument 'state' is of type list"),
    (lambda state: {}, ValueError, "'state' has the keys ; it must have 'seed', 'epoch', 'taken'"),
    (lambda state: {"seed": 1, "epoch": 2}, ValueError, "the keys 'seed', 'epoch'; it must have"),
    (lambda state: {**state, "rank": 1}, ValueError, "'num_replicas', 'rank'; it must have"),
    (lambda state: {**state, "num_samples": 9}, ValueError, "'state['num_samples']' is 9; this "
                                                            "sampler has 5"),
    (lambda state: {**state, "num_replicas": 2}, ValueError, "'state['num_replicas']' is 2; this"),
    (lambda state: {**state, "seed": None}, TypeError, "argument 'state['seed']' is None"),
    (lambda state: {**state, "epoch": 1.5}, TypeError, "argument 'state['epoch']' is 1.5"),
    (lambda state: {**state, "epoch": -1}, ValueError, "argument 'state['epoch']' is -1"),
    (lambda state: {**state, "taken": 6}, ValueError, "'state['taken']' is 6; it must be between 0 "
                                                      "and 5"),
])
def test_weighted_random_sampler_refuses_the_states_of_others(change, error, message):
    sampler, same = (WeightedRandomSampler([1.0, 2], 5, seed=4) for _ in range(2))
    with pytest.raises(error, match=re.escape(message)):
        sampler.load_state_dict(change({**sampler.state_dict(), "seed": 1, "epoch": 3}))
    assert sampler.state_dict() == same.state_dict()
    assert list(sampler) == list(same)


def test_weighted_random_sampler_of_the_last_words():
    """The stream of words goes on from its end to its beginning."""
    size, weights = 1 << 32, np.arange(1, 100)
    sampler = WeightedRandomSampler(weights, size, seed=4)
    sampler.set_epoch((1 << 32) - 1)
    first = [index for index, _ in zip(sampler, range(5))]
    begin = ((1 << 32) - 1) * size
    assert first == wrsgpu.Sampler(weights).draw(5, seed=4, offset=begin).tolist()
    sampler = WeightedRandomSampler(weights, 2 * size, seed=4)
    sampler.set_epoch((1 << 31))
    first = [index for index, _ in zip(sampler, range(5))]
    assert first == wrsgpu.Sampler(weights).draw(5, seed=4).tolist()


@pytest.mark.parametrize("columns", [3, 5000])
@pytest.mark.parametrize("rows", [(), (2,)])
def test_more_samples_than_there_can_be(rows, columns, device):
    for count, error, message in ((1 << 64, ValueError, "argument 'num_samples' is 1844674407370"),
                                  (1 << 60, ValueError, "argument 'num_samples' asks for"),
                                  (1 << 58, MemoryError, None)):
        with pytest.raises(error, match=message):
            multinomial(torch.ones(*rows, columns, device=device), count, True)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"num_samples": 0}, ValueError, "argument 'num_samples' is 0"),
    ({"num_samples": 1.5}, TypeError, "argument 'num_samples' is 1.5"),
    ({"replacement": False}, ValueError, "argument 'num_samples' is 3; without replacement"),
    ({"replacement": False, "weights": [1, 0, 2, 0]}, ValueError, "only 2 weights are positive"),
    ({"replacement": False, "weights": [1, 2, 3, -1]}, ValueError, "weight 3 is negative"),
    ({"replacement": False, "weights": np.ones((4, 1))}, ValueError, "has shape (4, 1)"),
    ({"weights": [[1.0]]}, ValueError, "argument 'weights' has shape (1, 1)"),
    ({"num_replicas": 2}, ValueError, "argument 'seed' is needed"),
    ({"num_replicas": 2, "seed": 1, "rank": 2}, ValueError, "argument 'rank' is 2"),
    ({"seed": 1, "generator": torch.Generator()}, TypeError, "not both"),
    ({"generator": 7}, TypeError, "argument 'generator' is of type int; it must be"),
    ({"num_samples": 1 << 60}, ValueError, "argument 'num_samples' is 1152921504606846976"),
])
def test_weighted_random_sampler_rejects(arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        WeightedRandomSampler(**{"weights": [1.0, 2], "num_samples": 3, **arguments})
