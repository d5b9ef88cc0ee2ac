// Versions of one function for several instruction sets, selected when the program is loaded.
//
// `WRSGPU_TARGET_CLONES void f(...)` makes the compiler vectorise `f`, and everything inlined into
// it, for AVX-512, AVX2 and the baseline, so that one binary uses the best version. Empty if the
// compiler, the architecture or the C library lacks support, and under sanitizers, whose run time
// is not yet initialised when the version is selected. Results do not depend on the version: the
// project is compiled with -ffp-contract=off; otherwise a * b + c would be rounded once in some
// versions and twice in others. x86-64-v4 is AVX-512 with the 64-bit integer products and
// conversions (DQ) that plain "avx512f" lacks. Not for templates; wrap one in a plain function.
#pragma once

#include <cstddef>  // defines the C library's identifying macro

#ifdef __has_attribute
#if __has_attribute(target_clones) && defined(__x86_64__) && defined(__GLIBC__) &&          \
    !defined(__CUDACC__) && !defined(WRSGPU_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WRSGPU_TARGET_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif
#endif
#ifndef WRSGPU_TARGET_CLONES
#define WRSGPU_TARGET_CLONES
#endif
