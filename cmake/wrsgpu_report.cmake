# What has been configured, in a few lines.
if(WRSGPU_WITH_CUDA)
  message(STATUS "wrsgpu: with CUDA (nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures "
                 "${CMAKE_CUDA_ARCHITECTURES})")
else()
  message(STATUS "wrsgpu: CPU only: ${WRSGPU_CUDA_REASON}")
endif()
set(_build "${CMAKE_BUILD_TYPE}")
if(WRSGPU_SANITIZER)
  string(APPEND _build ", sanitizer ${WRSGPU_SANITIZER}")
endif()
message(STATUS "wrsgpu: ${_build}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
