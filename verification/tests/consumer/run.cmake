# Installs the build BUILD_DIR into a fresh prefix, builds the first C++ example of README against
# the installed package alone, and runs it and the installed program.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  message("${output}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGV}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

file(READ ${README} text)
string(FIND "${text}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${README} has no C++ example")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "```" length)
string(SUBSTRING "${text}" 0 ${length} text)
file(WRITE ${WORK_DIR}/example.cpp "${text}")

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DREADME_EXAMPLE=${WORK_DIR}/example.cpp
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
    "-DCUDAToolkit_ROOT=${CUDA_ROOT}")
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "the example printed something else than '${EXPECTED}'")
endif()
run(${prefix}/bin/wrsgpu sample --weights ${prefix}/share/wrsgpu/data/kjv_word_counts.csv
    --samples 3 --seed 1)
if(NOT output MATCHES "^[0-9]+\n[0-9]+\n[0-9]+\n$")
  message(FATAL_ERROR "the installed program did not draw three samples")
endif()
