# The ways to the library besides find_package: pkg-config with g++ and clang++, FetchContent from the
# sources; and what find_package says of components.
#   cmake -DBUILD_DIR= -DWORK_DIR= -DSOURCE= [-DCOMPILERS=g++,clang++] -P other_ways.cmake
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(expected STREQUAL "success" AND NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  elseif(NOT expected STREQUAL "success" AND (status EQUAL 0 OR NOT output MATCHES "${expected}"))
    message(FATAL_ERROR "did not fail with '${expected}': ${ARGN}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(success ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
set(example ${SOURCE}/examples/draw_on_cpu.cpp)

# pkg-config, with each compiler that is here.
file(GLOB_RECURSE package ${prefix}/*/wrsgpu.pc)
cmake_path(GET package PARENT_PATH folder)
find_program(pkg_config pkg-config)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(success ${pkg_config} --cflags --libs wrsgpu)
  string(STRIP "${output}" flags)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  foreach(compiler IN ITEMS g++ clang++)
    find_program(found_${compiler} ${compiler})
    if(found_${compiler})
      run(success ${found_${compiler}} -std=c++20 -Wall -Wextra -Wpedantic -Werror ${CXX_FLAGS} ${example}
          ${flags} -o ${WORK_DIR}/by_pkg_config)
      run(success ${WORK_DIR}/by_pkg_config)
    endif()
  endforeach()
endif()

# Components.
foreach(component IN ITEMS python cuda)
  file(WRITE ${WORK_DIR}/${component}/CMakeLists.txt "cmake_minimum_required(VERSION 3.24)
project(components LANGUAGES CXX)
find_package(wrsgpu 0.2 CONFIG REQUIRED COMPONENTS ${component})
")
endforeach()
run("no component 'python'" ${CMAKE_COMMAND} -S ${WORK_DIR}/python -B ${WORK_DIR}/python/build
    -DCMAKE_PREFIX_PATH=${prefix})
if(NOT WITH_CUDA)
  run("built without CUDA" ${CMAKE_COMMAND} -S ${WORK_DIR}/cuda -B ${WORK_DIR}/cuda/build
      -DCMAKE_PREFIX_PATH=${prefix})
endif()

# FetchContent, where nothing that the library does not need can be found.
set(absent)
foreach(package IN ITEMS fmt Boost Eigen3 TBB CLI11 GTest benchmark nlohmann_json)
  list(APPEND absent -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
run(success ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/fetched -B ${WORK_DIR}/fetched -G Ninja
    -DWRSGPU_SOURCE=${SOURCE} -DWRSGPU_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug ${absent})
run(success ${CMAKE_COMMAND} --build ${WORK_DIR}/fetched)
run(success ${WORK_DIR}/fetched/draw_on_cpu)
