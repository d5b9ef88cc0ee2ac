// Marks functions that run on the host and, under nvcc, on the device as well.
// `WRSGPU_NO_EXEC_CHECK` goes before a template that runs where what it is given runs, such as a
// caller's generator: nvcc would warn of one for the host only.
#pragma once

#ifdef __CUDACC__
#define WRSGPU_HD __host__ __device__
#define WRSGPU_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
#else
#define WRSGPU_HD
#define WRSGPU_NO_EXEC_CHECK
#endif
