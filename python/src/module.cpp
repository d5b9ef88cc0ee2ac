#include <exception>
#include <new>

#include "python/src/bindings.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::python {
namespace {

/// `Error` is a ValueError, unless memory is short or a GPU fails.
void translate(const std::exception_ptr& exception, void* /*payload*/) {
  try {
    std::rethrow_exception(exception);
  } catch (const OutOfMemory& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const CudaError& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

}  // namespace
}  // namespace wrsgpu::python

NB_MODULE(_core, module) {
  using namespace wrsgpu::python;
  module.doc() = "The functions of the library on raw memory; private to the package.";
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // of objects that live when the interpreter ends
#ifdef __clang__
  module.attr("compiler") = __VERSION__;
#else
  module.attr("compiler") = "gcc " __VERSION__;
#endif
  bind_host_sampler(module);
  bind_permutation(module);
  bind_choose(module);
  bind_segments(module);
  bind_sharded(module);
#ifdef WRSGPU_WITH_CUDA
  module.attr("has_cuda") = true;
  bind_gpu_sampler(module);
  bind_gpu_functions(module);
  bind_gpu_segments(module);
  bind_gpu_sharded(module);
#else
  module.attr("has_cuda") = false;
#endif
}
