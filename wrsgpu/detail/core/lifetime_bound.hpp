// Marks the parameter that a view refers to: clang then warns of views that outlive it.
#pragma once

#if defined(__clang__) && !defined(__CUDACC__)
#define WRSGPU_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define WRSGPU_LIFETIME_BOUND
#endif
