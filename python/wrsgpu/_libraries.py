"""The array libraries: where their arrays are in memory, and how to make new ones.

NumPy alone is imported: another library has been imported by who passes its arrays.
"""

import contextlib
import functools
import math
import operator
import sys
from collections import deque
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wrsgpu import _core


class _WithoutCuda:
    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # which doctest looks for
            raise AttributeError(name)
        raise RuntimeError("this build of wrsgpu has no CUDA; install it where nvcc is found")


gpu: Any = _core if _core.has_cuda else _WithoutCuda()  # what the module has only with CUDA
CPU = -1  # a device; the others are the numbers of GPUs
SAMPLE_TYPES = ("int32", "int64", "uint32", "uint64")
BYTES = {"int32": 4, "int64": 8, "uint32": 4, "uint64": 8}
EXACT_INTEGERS = 1 << 53  # up to which doubles represent all
NO_ITEM = 0xFFFF_FFFF


class Memory(NamedTuple):
    """Contiguous elements in memory."""

    owner: Any  # keeps the memory
    address: int
    size: int
    dtype: str
    device: int

    @property
    def bytes(self) -> int:
        """Of one element that is an integer."""
        return BYTES[self.dtype]


# Memory(...), for each draw, in less time.
_new_memory = functools.partial(tuple.__new__, Memory)


def require_vector(shape: tuple[int, ...], name: str = "weights") -> None:
    if len(shape) != 1:
        raise ValueError(f"argument '{name}' has shape {tuple(shape)}; it must have one dimension")


def require_real(dtype: Any, real: bool, name: str = "weights") -> None:
    if not real:
        raise TypeError(f"argument '{name}' has dtype {dtype}; it must have real numbers")


def require_dtype(dtype: str, name: str, dtypes: tuple[str, ...]) -> None:
    if dtype not in dtypes:
        raise TypeError(f"argument '{name}' has dtype {dtype}; it must be one of "
                        f"{', '.join(dtypes)}")


def not_contiguous(name: str, shape: Any, strides: Any) -> ValueError:
    return ValueError(f"argument '{name}' is not contiguous: shape {tuple(shape)}, strides "
                      f"{strides}")


def tensor_address(tensor: Any, name: str = "weights") -> int:
    """The address of an argument's elements."""
    try:
        address = int(tensor.data_ptr())
    except RuntimeError:
        raise TypeError(f"argument '{name}' is a tensor of torch.vmap or of another transformation "
                        "of functions, inside which wrsgpu cannot be called") from None
    if address == 0 and tensor.numel() > 0:
        raise ValueError(f"argument '{name}' is a tensor without memory, such as one of "
                         "FakeTensorMode or one whose storage has been freed")
    return address


def require_readable(array: Any, name: str) -> None:
    """Checks that an array of JAX has values."""
    if isinstance(array, sys.modules["jax"].core.Tracer):
        raise TypeError(f"argument '{name}' is traced by jax.jit or another transformation of "
                        "functions, inside which wrsgpu cannot be called")
    if array.is_deleted():
        raise ValueError(f"argument '{name}' is an array of JAX that has been deleted, for example "
                         "because it was donated to a function")


def device_name(device: int) -> str:
    return "the CPU" if device == CPU else f"GPU {device}"


@functools.cache  # NumPy takes microseconds
def numpy_name(dtype: Any) -> str:
    return str(dtype.name if dtype.isnative else dtype)


def dtype_name(dtype: Any) -> str:
    """The name of a type of samples, which can be that of any library."""
    name = str(dtype).removeprefix("torch.")
    if name not in SAMPLE_TYPES:
        with contextlib.suppress(TypeError):
            name = numpy_name(np.dtype(dtype))
    if name not in SAMPLE_TYPES:
        raise TypeError(f"argument 'dtype' is {dtype!r}; it must be one of "
                        f"{', '.join(SAMPLE_TYPES)}")
    return name


def stream_address(stream: Any) -> int:
    """The address of a stream: an integer, or an object with `__cuda_stream__`, or one of torch or
    CuPy from before that."""
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    for attribute in ("cuda_stream", "ptr"):
        address = getattr(stream, attribute, None)
        if isinstance(address, int):
            return address
    raise TypeError(f"argument 'stream' is of type {type(stream).__name__}; it must be an integer "
                    "or have __cuda_stream__")


def masked(name: str) -> TypeError:
    return TypeError(f"argument '{name}' is a masked array; fill it first, for example with "
                     f"{name}.filled(0)")


def as_numpy(weights: Any, name: str = "weights") -> Any:
    """An array of NumPy: weights that offer nothing but DLPack by that."""
    if isinstance(weights, np.ma.MaskedArray):
        raise masked(name)
    if hasattr(weights, "__array__") or not hasattr(weights, "__dlpack__"):
        try:
            values = np.asarray(weights)
        except ValueError as error:  # lists of different lengths
            raise ValueError(f"argument '{name}' is no array: {error}") from None
        # Sparse matrices, sets, generators, views of dictionaries.
        if values.dtype.kind == "O" and values.ndim == 0:
            raise TypeError(f"argument '{name}' is of type {type(weights).__name__}; it must be an "
                            "array or a sequence of numbers")
        return values
    try:
        return np.from_dlpack(weights)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"argument '{name}' is of type {type(weights).__name__}, whose memory "
                        f"NumPy cannot read: {error}") from None


def differs(values: Any, numbers: Any) -> Any:
    """For each of two arrays' elements, whether the numbers are different ones: integers are not
    rounded before they are compared with floats."""
    exact = numbers.astype(np.longdouble)
    return (values.astype(np.longdouble) != exact) & ~np.isnan(exact)


_NOTHING: Any = contextlib.nullcontext()


class NumPy:
    """NumPy, and whatever converts to its arrays: lists, and objects with `__array__`."""

    def default_dtype(self) -> str:
        """Of samples."""
        return "int64"

    def device(self, array: Any, name: str = "weights") -> int:
        """The device that an argument is on."""
        return CPU

    def require_dense(self, array: Any, name: str) -> None:
        """Checks that an argument has one element after another in memory, or at distances."""

    def weights(self, weights: Any, check: bool) -> Memory:
        """The weights, contiguous, converted unless the library takes their type.

        Args:
            check: permits to wait for a GPU.
        """
        values = as_numpy(weights)
        kind = values.dtype.kind
        if values.size == 0:
            kind = "f"  # an empty list, of which the library says that it is empty
        require_real(values.dtype, kind in "buif")
        require_vector(values.shape)
        if kind == "f":
            dtype = np.dtype("f4" if values.itemsize <= 4 else "f8")
        else:
            dtype = np.dtype(f"{kind}8" if values.itemsize == 8 else "f8")
        with np.errstate(over="ignore"):  # of a longdouble: the library rejects infinity
            return self._memory(np.require(values, dtype, ["C", "A"]))

    def integers(self, array: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        """The elements of an argument of integers, contiguous, converted to the first of `dtypes`
        unless they have one of them. On the CPU numbers that do not fit are refused."""
        values = as_numpy(array, name)
        if values.dtype.kind not in "iu" and values.size > 0:
            raise TypeError(f"argument '{name}' has dtype {values.dtype}; it must have integers")
        if numpy_name(values.dtype) not in dtypes:
            limit = np.iinfo(dtypes[0]).max
            if values.size > 0 and not 0 <= int(values.min()) <= int(values.max()) <= limit:
                place = int(np.argmax((values < 0) | (values > limit)))
                raise ValueError(f"argument '{name}': element {place} is {values.flat[place]}, which "
                                 f"is not between 0 and {limit}")
            values = values.astype(dtypes[0])
        return self._memory(np.require(values, None, ["C", "A"]))

    def no_items(self, array: Any, dtype: str) -> Any:
        """Integers on a GPU, where nobody waits to check them, that are about to be converted: those
        for which there is no number in 32 bits become 2^32 - 1, that of no item, instead of the
        number of another one."""
        if BYTES[dtype] == 4 and array.dtype.itemsize == 8:
            return array.view(np.uint64).clip(None, np.uint64(NO_ITEM))
        return array

    def output(self, out: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        """The elements of an argument to write to."""
        if not isinstance(out, np.ndarray):
            raise TypeError(f"argument '{name}' is of type {type(out).__name__}; "
                            "it must be an array")
        if isinstance(out, np.ma.MaskedArray):
            raise masked(name)
        require_dtype(numpy_name(out.dtype), name, dtypes)
        if not out.flags.c_contiguous:
            raise not_contiguous(name, out.shape, out.strides)
        if not out.flags.writeable:
            raise ValueError(f"argument '{name}' is read-only")
        if not out.flags.aligned:
            raise ValueError(f"argument '{name}' is not aligned to {out.itemsize} bytes")
        return self._memory(out)

    def new(self, shape: tuple[int, ...], dtype: str, device: int,
            stream: int | None) -> Memory:
        """The elements of a new array, to be written on the stream; None: the current one."""
        return self._memory(np.empty(shape, dtype))

    def finished(self, memory: Memory, stream: int) -> Any:
        """The array of a `new` memory, after the work on the stream that writes it has been
        launched."""
        return memory.owner

    def current_stream(self, device: int) -> int:
        return 0

    def keep(self, array: Any, device: int, stream: int) -> None:
        """Keeps the memory of an array while work on a stream that is not the current one uses
        it."""

    def default_seed(self, seed: Any) -> Any:
        """The seed of a new sampler, where an argument `seed` is given or not."""
        return seed

    def take(self, values: Any, places: Any) -> Any:
        """The values at places, which can be an array of another library."""
        return values[places]

    def from_numpy(self, values: Any, device: int) -> Any:
        """An array on a device with the values of one of NumPy."""
        return values

    def as_numbers(self, indices: Any, dtype: str, items: int) -> Any:
        """Numbers below `items` that were written to an array of int32, in another type."""
        if dtype == "int32":
            return indices
        numbers = self._cast(indices, dtype)
        # Without a sign; only types of 64 bits hold the numbers then, or the right ones wrapped.
        return numbers & 0xFFFFFFFF if items > 1 << 31 and dtype.endswith("64") else numbers

    def _cast(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def _memory(self, array: Any) -> Memory:
        return Memory(array, array.__array_interface__["data"][0], array.size,
                      numpy_name(array.dtype), CPU)


class Torch(NumPy):
    """Tensors of PyTorch, on the CPU and on GPUs."""

    def __init__(self) -> None:
        torch = sys.modules["torch"]
        self._types = {name: getattr(torch, name) for name in (*SAMPLE_TYPES, "float32", "float64")
                       if hasattr(torch, name)}
        self._names = {dtype: name for name, dtype in self._types.items()}
        self._devices = {CPU: torch.device("cpu")}
        self._strided = torch.strided
        self._increment_version = torch.autograd.graph.increment_version
        # The public function makes an object, which takes longer than the launch of a kernel.
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def device(self, array: Any, name: str = "weights") -> int:
        kind = array.device.type
        if kind not in ("cpu", "cuda"):
            raise TypeError(f"argument '{name}' is on device {array.device}; it must be on cpu or "
                            "cuda")
        return CPU if kind == "cpu" else int(array.get_device())

    def require_dense(self, array: Any, name: str) -> None:
        if array.layout is not self._strided or array.is_nested or array.is_quantized:
            kind = " and is nested" if array.is_nested else ""
            raise TypeError(f"argument '{name}' has layout {array.layout} and dtype {array.dtype}"
                            f"{kind}; it must be a dense tensor")

    def weights(self, weights: Any, check: bool) -> Memory:
        torch = sys.modules["torch"]
        self.require_dense(weights, "weights")
        device = self.device(weights)
        require_vector(weights.shape)
        name = self._names.get(weights.dtype, "")
        if name.startswith("float") and weights.is_contiguous() and not weights.is_neg():
            return self._memory(weights, "weights")
        require_real(weights.dtype, not weights.is_complex())
        tensor_address(weights)  # which a conversion would not ask for
        values = weights.detach()
        if not weights.is_floating_point():
            if values.dtype in (torch.int64, getattr(torch, "uint64", None)):
                words = values.view(torch.int64)  # of uint64, large ones are negative
                if not values.is_cuda or (
                        check and bool(((words > EXACT_INTEGERS) | (words < 0)).any())):
                    return NUMPY.weights(values.cpu().numpy(), check)
            values = values.to(torch.float64)
        elif values.dtype not in self._names:
            values = values.to(torch.float32)
        return self._memory(values.resolve_neg().contiguous())

    def integers(self, array: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        self.require_dense(array, name)
        device = self.device(array, name)
        tensor_address(array, name)
        if device == CPU:
            return NUMPY.integers(array.detach().numpy(), name, dtypes)
        if array.is_floating_point() or array.is_complex():
            raise TypeError(f"argument '{name}' has dtype {array.dtype}; it must have integers")
        if self._names.get(array.dtype) not in dtypes:
            array = self._cast(self.no_items(array, dtypes[0]), dtypes[0])
        return self._memory(array.contiguous(), name)

    def no_items(self, array: Any, dtype: str) -> Any:
        if BYTES[dtype] == 4 and array.element_size() == 8:
            words = array.view(sys.modules["torch"].int64)  # torch can hardly compute with uint64
            return words.masked_fill(words >> 32 != 0, NO_ITEM)
        return array

    def output(self, out: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        if out.layout is not self._strided or out.is_nested:  # for each draw, in less time
            self.require_dense(out, name)
        dtype = self._names.get(out.dtype, "")
        if dtype not in dtypes:
            require_dtype(str(out.dtype).removeprefix("torch."), name, dtypes)
        if not out.is_contiguous():
            raise not_contiguous(name, out.shape, out.stride())
        if out.requires_grad:
            raise ValueError(f"argument '{name}' requires gradients")
        device = out.get_device() if out.is_cuda else self.device(out, name)
        address = tensor_address(out, name)
        # Autograd then notices if it has saved the values that are overwritten.
        self._increment_version(out)
        return _new_memory((out, address, out.numel(), dtype, device))

    def new(self, shape: tuple[int, ...], dtype: str, device: int,
            stream: int | None) -> Memory:
        torch = sys.modules["torch"]
        where = self._devices.get(device)
        if where is None:
            where = self._devices[device] = torch.device("cuda", device)
        try:
            if stream is None:
                array = torch.empty(shape, dtype=self._types[dtype], device=where)
            else:
                with torch.cuda.stream(self._stream(stream, device)):
                    array = torch.empty(shape, dtype=self._types[dtype], device=where)
        except RuntimeError as error:  # also torch.OutOfMemoryError
            raise MemoryError(f"torch: {error}") from error
        return Memory(array, array.data_ptr(), math.prod(shape), dtype, device)

    def current_stream(self, device: int) -> int:
        if device == CPU:  # for which torch asks the driver, which may be missing
            return 0
        if self._raw_stream is not None:
            return int(self._raw_stream(device))
        return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)

    def keep(self, array: Any, device: int, stream: int) -> None:
        array.record_stream(self._stream(stream, device))

    @staticmethod
    def _stream(stream: int, device: int) -> Any:
        cuda = sys.modules["torch"].cuda
        if stream == 0:  # for which ExternalStream makes a new stream
            return cuda.default_stream(device)
        return cuda.ExternalStream(stream, device=f"cuda:{device}")

    def default_seed(self, seed: Any) -> Any:
        """From torch's generator, so that `torch.manual_seed` determines it."""
        torch = sys.modules["torch"]
        return torch.default_generator if seed is None else seed

    def take(self, values: Any, places: Any) -> Any:
        return values[sys.modules["torch"].as_tensor(places, device=values.device).long()]

    def from_numpy(self, values: Any, device: int) -> Any:
        if values.dtype == np.uint64:
            values = values.view(np.int64)  # as torch can hardly compute with the other
        return sys.modules["torch"].from_numpy(values).to(
            "cpu" if device == CPU else f"cuda:{device}")

    def _cast(self, array: Any, dtype: str) -> Any:
        return array.to(getattr(sys.modules["torch"], dtype))

    def generated_state(self, generator: Any, device: int, stream: int) -> Memory:
        """A random state on a GPU that a generator there writes, now and in replays of a graph."""
        torch = sys.modules["torch"]
        state = torch.empty(2, dtype=torch.int64, device=f"cuda:{device}")
        state.random_(generator=generator)
        if (current := self.current_stream(device)) != stream:
            gpu.order_streams(current, stream, device)
            self.keep(state, device, stream)
        return self._memory(state)

    def _memory(self, array: Any, name: str = "weights") -> Memory:
        return Memory(array, tensor_address(array, name), array.numel(), self._names[array.dtype],
                      array.get_device() if array.is_cuda else CPU)


class CuPy(NumPy):
    """Arrays of CuPy, on GPUs."""

    def __init__(self) -> None:
        cupy = sys.modules["cupy"]
        self._in_flight: deque[tuple[Any, Any]] = deque()  # events, and the arrays they are for
        self._names = {np.dtype(name): name for name in (*SAMPLE_TYPES, "float32", "float64")}
        self._current_stream = cupy.cuda.get_current_stream
        # The public attribute makes an object.
        self._is_contiguous = operator.attrgetter(
            "_c_contiguous" if hasattr(cupy.ndarray, "_c_contiguous") else "flags.c_contiguous")

    def device(self, array: Any, name: str = "weights") -> int:
        return int(array.data.device_id)

    def weights(self, weights: Any, check: bool) -> Memory:
        cupy = sys.modules["cupy"]
        require_vector(weights.shape)
        kind = weights.dtype.kind
        require_real(weights.dtype, kind in "buif")
        with cupy.cuda.Device(self.device(weights)):
            if kind == "f":
                dtype = cupy.float32 if weights.itemsize <= 4 else cupy.float64
            elif weights.itemsize == 8 and check and bool((weights > EXACT_INTEGERS).any()):
                return NUMPY.weights(weights.get(), check)
            else:
                dtype = cupy.float64
            return self._memory(cupy.ascontiguousarray(weights, dtype))

    def integers(self, array: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        cupy = sys.modules["cupy"]
        if array.dtype.kind not in "iu":
            raise TypeError(f"argument '{name}' has dtype {array.dtype}; it must have integers")
        with cupy.cuda.Device(self.device(array)):
            if numpy_name(array.dtype) in dtypes:
                return self._memory(cupy.ascontiguousarray(array))
            array = self.no_items(array, dtypes[0])
            return self._memory(cupy.ascontiguousarray(array, dtypes[0]))

    def output(self, out: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        dtype = self._names.get(out.dtype, "")
        if dtype not in dtypes:
            require_dtype(numpy_name(out.dtype), name, dtypes)
        if not self._is_contiguous(out):
            raise not_contiguous(name, out.shape, out.strides)
        data = out.data
        return _new_memory((out, data.ptr, out.size, dtype, data.device_id))

    def new(self, shape: tuple[int, ...], dtype: str, device: int,
            stream: int | None) -> Memory:
        cupy = sys.modules["cupy"]
        if stream is None and cupy.cuda.runtime.getDevice() == device:
            return self._memory(cupy.empty(shape, dtype))
        with cupy.cuda.Device(device), (_NOTHING if stream is None else
                                        cupy.cuda.ExternalStream(stream)):
            return self._memory(cupy.empty(shape, dtype))

    def current_stream(self, device: int) -> int:
        return int(self._current_stream(device).ptr)

    def keep(self, array: Any, device: int, stream: int) -> None:
        cupy = sys.modules["cupy"]
        while self._in_flight and self._in_flight[0][0].done:
            self._in_flight.popleft()
        with cupy.cuda.Device(device):
            event = cupy.cuda.Event(disable_timing=True)
            event.record(cupy.cuda.ExternalStream(stream))
        self._in_flight.append((event, array))

    def take(self, values: Any, places: Any) -> Any:
        return values[sys.modules["cupy"].asarray(places)]

    def from_numpy(self, values: Any, device: int) -> Any:
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            return cupy.asarray(values)

    def _memory(self, array: Any) -> Memory:
        data = array.data
        return _new_memory((array, data.ptr, array.size, numpy_name(array.dtype), data.device_id))


class Jax(NumPy):
    """Arrays of JAX, which has no stream that others could use: calls wait for the GPU."""

    def default_dtype(self) -> str:
        return "int64" if self._has_64_bits() else "int32"

    def device(self, array: Any, name: str = "weights") -> int:
        require_readable(array, name)
        devices = array.devices()
        if len(devices) != 1:
            raise TypeError(f"argument '{name}' is distributed over {len(devices)} devices; it must "
                            "be on one")
        (device,) = devices
        if device.platform == "cpu":
            return CPU
        if device.platform not in ("gpu", "cuda"):
            raise TypeError(f"argument '{name}' is on platform {device.platform}; it must be on cpu "
                            "or cuda")
        return int(device.local_hardware_id)

    def weights(self, weights: Any, check: bool) -> Memory:
        jnp = sys.modules["jax.numpy"]
        device = self.device(weights)
        require_vector(weights.shape)
        integers = jnp.issubdtype(weights.dtype, jnp.integer) or weights.dtype == bool
        require_real(weights.dtype, integers or jnp.issubdtype(weights.dtype, jnp.floating))
        if not integers and weights.dtype.name not in ("float32", "float64"):
            weights = weights.astype(jnp.float32)
        if device == CPU or integers:  # JAX has no doubles to convert them to, unless configured
            return NUMPY.weights(np.asarray(weights), check)
        return self._memory(weights)

    def integers(self, array: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        if self.device(array, name) == CPU:
            return NUMPY.integers(np.asarray(array), name, dtypes)
        if array.dtype.kind not in "iu":
            raise TypeError(f"argument '{name}' has dtype {array.dtype}; it must have integers")
        if array.dtype.name not in dtypes:
            array = self.no_items(array, dtypes[0]).astype(dtypes[0])
        return self._memory(array)

    def output(self, out: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        if name == "state":
            raise TypeError("argument 'state' is an array of JAX, which cannot be written; pass "
                            "seeds, for example keys of jax.random")
        raise TypeError(f"argument '{name}' is an array of JAX, which cannot be written; "
                        "use the result")

    def new(self, shape: tuple[int, ...], dtype: str, device: int,
            stream: int | None) -> Memory:
        """Nobody else sees an array before it is written."""
        self._require(dtype)
        if device == CPU:
            return NUMPY.new(shape, dtype, device, stream)
        try:
            return self._memory(sys.modules["jax.numpy"].empty(shape, dtype,
                                                               device=self._on(device)))
        except RuntimeError as error:
            raise MemoryError(f"jax: {error}") from error

    def finished(self, memory: Memory, stream: int) -> Any:
        if memory.device == CPU:
            return self.from_numpy(memory.owner, CPU)
        gpu.synchronise(stream, memory.device)
        return memory.owner

    def from_numpy(self, values: Any, device: int) -> Any:
        self._require(values.dtype.name)
        return sys.modules["jax"].device_put(values, self._on(device))

    def _on(self, device: int) -> Any:
        """The device as JAX names it."""
        jax = sys.modules["jax"]
        if device == CPU:
            return jax.devices("cpu")[0]
        return next(d for d in jax.local_devices() if d.local_hardware_id == device)

    def _cast(self, array: Any, dtype: str) -> Any:
        self._require(dtype)
        return array.astype(dtype)

    def _require(self, dtype: str) -> None:
        if dtype.endswith("64") and not self._has_64_bits():
            raise TypeError(f"dtype {dtype} needs 64 bits in JAX: set jax_enable_x64, or choose "
                            "one of 32 bits")

    @staticmethod
    def _has_64_bits() -> bool:
        return bool(sys.modules["jax"].config.jax_enable_x64)

    def _memory(self, array: Any) -> Memory:
        array = array.block_until_ready()
        return Memory(array, array.unsafe_buffer_pointer(), array.size, array.dtype.name,
                      self.device(array))


class CudaArray(NumPy):
    """Arrays of other libraries with `__cuda_array_interface__`, which wrsgpu reads and writes, but
    cannot make."""

    def device(self, array: Any, name: str = "weights") -> int:
        return int(gpu.device_of(array.__cuda_array_interface__["data"][0]))

    def weights(self, weights: Any, check: bool) -> Memory:
        require_vector(weights.__cuda_array_interface__["shape"])
        return self._elements(weights, "weights", ("float32", "float64"), False)

    def output(self, out: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        return self._elements(out, name, dtypes, True)

    def new(self, shape: tuple[int, ...], dtype: str, device: int,
            stream: int | None) -> Memory:
        raise TypeError("wrsgpu cannot make arrays of this library; pass 'out'")

    def _elements(self, array: Any, name: str, dtypes: tuple[str, ...], write: bool) -> Memory:
        interface = array.__cuda_array_interface__
        dtype = np.dtype(interface["typestr"])
        require_dtype(numpy_name(dtype), name, dtypes)
        shape, strides = interface["shape"], interface.get("strides")
        if strides is not None:
            raise not_contiguous(name, shape, strides)
        address, read_only = interface["data"]
        if write and read_only:
            raise ValueError(f"argument '{name}' is read-only")
        device = gpu.device_of(address)
        if interface.get("stream") is not None:
            gpu.order_streams(interface["stream"], 0, device)
        return Memory(array, address, math.prod(shape), dtype.name, device)


NUMPY = NumPy()
_LIBRARIES: dict[str, type[NumPy]] = {"torch": Torch, "cupy": CuPy, "jax": Jax, "jaxlib": Jax,
                                      "numpy": NumPy}


@functools.cache
def _library(name: str) -> NumPy:
    return _LIBRARIES[name]()


_library_of_type: dict[type, NumPy] = {}


def _find_library(kind: type) -> NumPy:
    for base in kind.__mro__:  # subclasses of tensors, such as parameters, are of other modules
        name = base.__module__.split(".")[0]
        if name in _LIBRARIES and name != "numpy":
            return _library("jax" if name == "jaxlib" else name)
    return CudaArray() if hasattr(kind, "__cuda_array_interface__") else NUMPY


def library_like(array: Any) -> NumPy:
    """The library of an argument `like`; NumPy without one."""
    library = library_of(array)
    # A nested tensor has none, and raises another error.
    if array is not None and type(library) is not Torch and not hasattr(array, "shape"):
        raise TypeError(f"argument 'like' is {array!r}; it must be an array")
    return library


def library_of(array: Any) -> NumPy:
    """The library whose array this is."""
    kind = type(array)
    library = _library_of_type.get(kind)
    if library is None:
        library = _library_of_type[kind] = _find_library(kind)
    return library
