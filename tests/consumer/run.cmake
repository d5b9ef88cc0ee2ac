# Installs the build BUILD_DIR into a fresh prefix, builds the C++ programs of README, and examples,
# against the installed package alone, and runs those for the host and the installed program.
# Where the package has CUDA, those for the GPU are built, too.
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

# The programs: two examples, and those of the README.
set(programs ${WORK_DIR}/programs)
file(COPY ${EXAMPLES}/draw_on_cpu.cpp ${EXAMPLES}/sample_in_kernel.cu DESTINATION ${programs})
file(READ ${README} text)
set(count 0)
set(to_run draw_on_cpu)
string(FIND "${text}" "```cpp\n" begin)
while(NOT begin EQUAL -1)
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" length)
  string(SUBSTRING "${text}" 0 ${length} code)
  string(FIND "${text}" "```cpp\n" begin)
  if(NOT code MATCHES "int main")
    continue()
  endif()
  math(EXPR count "${count} + 1")
  if(code MATCHES "\\.cuh")
    file(WRITE ${programs}/readme_${count}.cu "${code}")
  else()
    file(WRITE ${programs}/readme_${count}.cpp "${code}")
    list(APPEND to_run readme_${count})
  endif()
endwhile()
if(NOT count EQUAL 2)
  message(FATAL_ERROR "${README} has ${count} C++ programs, not 2")
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DPROGRAMS=${programs}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
    "-DCUDAToolkit_ROOT=${CUDA_ROOT}" "-DCMAKE_CUDA_COMPILER=${CUDA_COMPILER}"
    -DCMAKE_CUDA_ARCHITECTURES=75 -DCMAKE_CUDA_FLAGS=-std=c++20)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
set(printed "")
foreach(program IN LISTS to_run)
  run(${WORK_DIR}/build/${program})
  string(APPEND printed "${output}")
endforeach()
if(NOT printed MATCHES "${EXPECTED}")
  message(FATAL_ERROR "the programs printed something else than '${EXPECTED}'")
endif()
run(${prefix}/bin/wrsgpu sample --weights ${prefix}/share/wrsgpu/data/kjv_word_counts.csv
    --samples 3 --seed 1 --quiet)
if(NOT output MATCHES "^[0-9]+\n[0-9]+\n[0-9]+\n$")
  message(FATAL_ERROR "the installed program did not draw three samples")
endif()
