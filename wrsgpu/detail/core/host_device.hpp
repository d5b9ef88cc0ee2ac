// Marks functions that run on the host and, under nvcc, on the device as well.
#pragma once

#ifdef __CUDACC__
#define WRSGPU_HD __host__ __device__
#else
#define WRSGPU_HD
#endif
