"""The array libraries: where their arrays are in memory, and how to make new ones.

Only NumPy is imported; another library has been imported by who passes its arrays.
"""

import contextlib
import functools
from typing import Any, NamedTuple

import numpy as np

CPU = -1  # a device; the others are the numbers of GPUs
SAMPLE_TYPES = ("int32", "int64", "uint32", "uint64")


class Memory(NamedTuple):
    """Contiguous elements in memory."""

    owner: Any  # keeps the memory
    address: int
    size: int
    dtype: str
    device: int


@functools.cache  # NumPy takes microseconds
def _numpy_name(dtype: Any) -> str:
    return str(dtype.name if dtype.isnative else dtype)


class NumPy:
    """NumPy, and whatever converts to its arrays: lists, and objects with `__array__`."""

    default_dtype = "int64"

    def weights(self, weights: Any) -> Memory:
        """The weights, in a type that the library takes: converted unless they are float32,
        float64, int64 or uint64, contiguous."""
        if isinstance(weights, np.ma.MaskedArray):
            raise TypeError("argument 'weights' is a masked array; fill it first, "
                            "for example with weights.filled(0)")
        values = np.asarray(weights)
        require_vector(values.shape)
        kind = values.dtype.kind
        if values.size == 0:
            kind = "f"  # an empty list, of which the library says that it is empty
        if kind in "bui":
            dtype = np.dtype(f"{kind}8" if values.itemsize == 8 else "f8")
        elif kind == "f":
            dtype = np.dtype("f4" if values.itemsize <= 4 else "f8")
        else:
            raise TypeError(f"argument 'weights' has dtype {values.dtype}; it must have real "
                            "numbers")
        with np.errstate(over="ignore"):  # of a longdouble: the library rejects infinity
            values = np.require(values, dtype, ["C", "A"])
        return self._memory(values)

    def output(self, out: Any, name: str, dtypes: tuple[str, ...]) -> Memory:
        """The elements of an argument to write to."""
        if not isinstance(out, np.ndarray):
            raise TypeError(f"argument '{name}' is of type {type(out).__name__}; "
                            "it must be an array")
        require_dtype(_numpy_name(out.dtype), name, dtypes)
        if not out.flags.c_contiguous:
            raise ValueError(f"argument '{name}' is not contiguous: shape {out.shape}, "
                             f"strides {out.strides}")
        if not out.flags.writeable:
            raise ValueError(f"argument '{name}' is read-only")
        return self._memory(out)

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        return np.empty(shape, dtype)

    @staticmethod
    def _memory(array: Any) -> Memory:
        return Memory(array, array.__array_interface__["data"][0], array.size,
                      _numpy_name(array.dtype), CPU)


NUMPY = NumPy()


def library_of(array: Any) -> NumPy:
    """The library whose array this is."""
    return NUMPY


def require_vector(shape: tuple[int, ...]) -> None:
    if len(shape) != 1:
        raise ValueError(f"argument 'weights' has shape {tuple(shape)}; it must have one dimension")


def require_dtype(dtype: str, name: str, dtypes: tuple[str, ...]) -> None:
    if dtype not in dtypes:
        raise TypeError(f"argument '{name}' has dtype {dtype}; it must be one of "
                        f"{', '.join(dtypes)}")


def dtype_name(dtype: Any) -> str:
    """The name of a type of samples, which can be that of any library."""
    name = str(dtype).removeprefix("torch.")
    if name not in SAMPLE_TYPES:
        with contextlib.suppress(TypeError):
            name = np.dtype(dtype).name
    require_dtype(name, "dtype", SAMPLE_TYPES)
    return name
