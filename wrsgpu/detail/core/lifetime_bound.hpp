// Marks the parameter to which a view refers: clang then warns of dangling views.
#pragma once

#if defined(__clang__) && !defined(__CUDACC__)
#define WRSGPU_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define WRSGPU_LIFETIME_BOUND
#endif
