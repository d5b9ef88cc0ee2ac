"""The array libraries that are installed here, each on each kind of device, for tests of all."""

import importlib

import numpy as np


class Case:
    """A library and a device. `array` makes an array, `numpy` copies one to NumPy."""

    def __init__(self, library, device):
        self.library, self.device = library, device
        self.module = importlib.import_module(library)

    def __repr__(self):
        return f"{self.library}-{self.device}"

    @property
    def on_gpu(self):
        return self.device == "cuda"

    def reason_to_skip(self):
        if not self.on_gpu:
            return ""
        import wrsgpu
        if not wrsgpu.has_cuda:
            return "this build of wrsgpu has no CUDA"
        try:
            there = self.gpus() > 0
        except Exception as error:  # each library has its own, for a driver that is missing
            return f"{self.library} finds no GPU: {error}"
        return "" if there else f"{self.library} finds no GPU"


class NumPyCase(Case):
    array_type = np.ndarray

    def array(self, values, dtype=None):
        return np.array(values, dtype)

    def numpy(self, array):
        return np.array(array)

    def current_device(self, array):
        return "cpu"


class TorchCase(Case):
    @property
    def array_type(self):
        return self.module.Tensor

    def gpus(self):
        return self.module.cuda.device_count()

    def array(self, values, dtype=None):
        values = np.array(values, dtype if dtype != "bfloat16" else "float32")
        tensor = self.module.from_numpy(values).to(self.device)
        return tensor.bfloat16() if dtype == "bfloat16" else tensor

    def numpy(self, array):
        return array.cpu().numpy()

    def current_device(self, array):
        return array.device.type

    def stream(self):
        return self.module.cuda.Stream()


class CuPyCase(Case):
    @property
    def array_type(self):
        return self.module.ndarray

    def gpus(self):
        return self.module.cuda.runtime.getDeviceCount()

    def array(self, values, dtype=None):
        return self.module.array(values, dtype)

    def numpy(self, array):
        return self.module.asnumpy(array)

    def current_device(self, array):
        return "cuda"

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)


class JaxCase(Case):
    @property
    def array_type(self):
        return self.module.Array

    def _devices(self):
        return self.module.devices("cpu" if self.device == "cpu" else "gpu")

    def gpus(self):
        return len(self._devices())

    def array(self, values, dtype=None):
        return self.module.device_put(self.module.numpy.asarray(np.array(values), dtype),
                                      self._devices()[0])

    def numpy(self, array):
        return np.asarray(array)

    def current_device(self, array):
        (device,) = array.devices()
        return "cpu" if device.platform == "cpu" else "cuda"


CASES = {"numpy": (NumPyCase, ["cpu"]), "torch": (TorchCase, ["cpu", "cuda"]),
         "cupy": (CuPyCase, ["cuda"]), "jax": (JaxCase, ["cpu", "cuda"])}


def cases_of(library):
    """The cases of a library with the reason to skip each, or an empty string."""
    kind, devices = CASES[library]
    try:
        cases = [kind(library, device) for device in devices]
    except ImportError:
        return [(None, f"{library} is not installed")]
    return [(case, case.reason_to_skip()) for case in cases]
