# Helpers that make the project's targets.
#
# The library is wrsgpu::wrsgpu, made of the folder wrsgpu/ alone; the methods of the papers and their
# registry are wrsgpu_thesis, which is not installed. Includes are paths in the tree, from its root.

find_package(Threads REQUIRED)
if(WRSGPU_BUILD_PROGRAM OR WRSGPU_BUILD_THESIS)
  find_package(fmt REQUIRED)
endif()
if(WRSGPU_BUILD_VERIFICATION)
  find_package(Boost 1.75 REQUIRED)  # the first with the Kolmogorov-Smirnov distribution
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
endif()
if(WRSGPU_BUILD_THESIS)
  find_package(TBB REQUIRED)  # oneTBB, for the CPU shuffles of the shuffling paper
endif()

# No fused multiply-add that the source does not ask for: results are the same on every processor.
# Nor does anybody read errno after a rounding.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-math-errno>"
                    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>")

# Warnings, for our own code only.
add_library(wrsgpu_warnings INTERFACE)
set(_warnings -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND _warnings -Wno-restrict)  # GCC 12 warns of its own std::string
  set(_cuda_host_warnings -Xcompiler=-Wall,-Wextra,-Wno-restrict)
else()
  set(_cuda_host_warnings -Xcompiler=-Wall,-Wextra)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND _warnings -Wno-psabi)  # that GCC 4.6 changed how vectors are passed
endif()
if(WRSGPU_SANITIZER)
  list(REMOVE_ITEM _warnings -Wnull-dereference)  # the checks inserted look like dereferences
endif()
target_compile_options(wrsgpu_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${_warnings}>")
target_compile_options(wrsgpu_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:${_cuda_host_warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>"
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcudafe=--display_error_number>")
if(WRSGPU_WARNINGS_AS_ERRORS)
  target_compile_options(wrsgpu_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()

# wrsgpu_sources(<target> <folder>...): adds the sources of these folders of the tree and of all folders
# in them to the target; .cu files and gpu_*.cpp only when there is CUDA.
function(wrsgpu_sources target)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp
                                              ${PROJECT_SOURCE_DIR}/${folder}/*.cu)
    foreach(file IN LISTS files)
      if(WRSGPU_WITH_CUDA OR NOT file MATCHES "(\\.cu|/gpu_[^/]*)$")
        target_sources(${target} PRIVATE ${file})
      endif()
    endforeach()
  endforeach()
endfunction()

# wrsgpu_compile_folders_together(<target> [SMALL <folder>...]): makes the sources of one folder and one
# language one translation unit, as parsing the headers that they share takes longer than all the rest;
# small folders together make one. Sources with compile options of their own, or
# SKIP_UNITY_BUILD_INCLUSION, stay apart.
function(wrsgpu_compile_folders_together target)
  cmake_parse_arguments(arg "" "" "SMALL" ${ARGN})
  if(NOT WRSGPU_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(files ${target} SOURCES)
  set(groups)
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE path)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${path})
    cmake_path(GET name PARENT_PATH group)
    if(group IN_LIST arg_SMALL)
      set(group ${target}_small)
    endif()
    string(MAKE_C_IDENTIFIER ${group} group)
    get_source_file_property(options ${file} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    get_source_file_property(alone ${file} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    if(file MATCHES "\\.cpp$")
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    elseif(NOT options AND NOT alone)
      # CMake's own units have no CUDA before version 3.31.
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
      list(APPEND groups ${group})
      string(APPEND includes_of_${group} "#include \"${name}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_units/${group}.cu)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${includes_of_${group}}")
    target_sources(${target} PRIVATE ${unit})
  endforeach()
endfunction()

add_library(wrsgpu)
add_library(wrsgpu::wrsgpu ALIAS wrsgpu)
target_compile_features(wrsgpu PUBLIC cxx_std_20)
target_include_directories(wrsgpu PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(wrsgpu PUBLIC Threads::Threads PRIVATE $<BUILD_INTERFACE:wrsgpu_warnings>)
if(WRSGPU_WITH_CUDA)
  target_compile_definitions(wrsgpu PUBLIC WRSGPU_WITH_CUDA)
  target_link_libraries(wrsgpu PUBLIC CUDA::cudart_static)
  target_include_directories(wrsgpu SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endif()

# wrsgpu_optimise_less(<target> <level>): for what spends no time worth mentioning in its own code; a
# release build of CLI11, fmt or GoogleTest takes twice as long at -O3 as at -O1.
function(wrsgpu_optimise_less target level)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${level}>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${level}>)
  endif()
endfunction()

# wrsgpu_program(<name> SOURCES <file>... [LIBRARIES <target>...]): a program of the project.
function(wrsgpu_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} wrsgpu::wrsgpu wrsgpu_warnings
                                        fmt::fmt)
endfunction()

# wrsgpu_test(<name> <file>...): a GoogleTest program whose cases ctest runs one by one. One in which
# no test is found that runs, or a sanitizer finds something before, fails the test <name>.has_tests.
function(wrsgpu_test name)
  if(name MATCHES "^gpu_" AND NOT WRSGPU_WITH_CUDA)
    return()
  endif()
  wrsgpu_program(${name} SOURCES ${ARGN} LIBRARIES wrsgpu_thesis wrsgpu::verification GTest::gtest_main)
  wrsgpu_optimise_less(${name} -O1)
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                       DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 600)
  add_test(NAME ${name}.has_tests COMMAND ${name} --gtest_list_tests --gtest_filter=-*DISABLED_*)
  # With an expression to pass, CTest does not look at the exit status.
  set_tests_properties(${name}.has_tests PROPERTIES PASS_REGULAR_EXPRESSION "\n  [A-Za-z]"
                       FAIL_REGULAR_EXPRESSION "Sanitizer;runtime error")
endfunction()

# wrsgpu_figure_test(<name> <script> <argument>...): a script of tests/ that needs Matplotlib,
# which one of several Pythons may have.
function(wrsgpu_figure_test name script)
  list(JOIN ARGN "' '" arguments)
  add_test(NAME ${name}
           COMMAND bash -c "source '${PROJECT_SOURCE_DIR}/scripts/lib.sh'; \
python=$(find_python 2>/dev/null) || { echo 'skipped: there is no Matplotlib'; exit 0; }; \
exec \"$python\" '${PROJECT_SOURCE_DIR}/tests/${script}' '${arguments}'")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()
