// Marks functions that run on the host and, under nvcc, on the device as well.
// `WRSGPU_NO_EXEC_CHECK` precedes a template that runs wherever its argument runs, such as a
// caller's generator; otherwise nvcc warns of host-only arguments.
#pragma once

#ifdef __CUDACC__
#define WRSGPU_HD __host__ __device__
#define WRSGPU_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
#else
#define WRSGPU_HD
#define WRSGPU_NO_EXEC_CHECK
#endif
