# Installation, and the package that find_package(wrsgpu CONFIG) finds.
include(CMakePackageConfigHelpers)

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wrsgpu)
install(TARGETS wrsgpu EXPORT wrsgpu_targets)
# Without CUDA what needs its toolkit would not link.
set(_cuda_headers "")
if(WRSGPU_WITH_CUDA)
  set(_cuda_headers PATTERN "*.cuh")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/wrsgpu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" ${_cuda_headers})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/data DESTINATION ${CMAKE_INSTALL_DATADIR}/wrsgpu)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET wrsgpu_cli)
  install(TARGETS wrsgpu_cli)
endif()

install(EXPORT wrsgpu_targets NAMESPACE wrsgpu:: FILE wrsgpu_targets.cmake
        DESTINATION ${_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/wrsgpu-config.cmake.in
                              ${PROJECT_BINARY_DIR}/wrsgpu-config.cmake
                              INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wrsgpu-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wrsgpu-config.cmake
              ${PROJECT_BINARY_DIR}/wrsgpu-config-version.cmake
        DESTINATION ${_package_dir})

# The same for pkg-config. The prefix is found from the file's own place, so that a package can be
# installed anywhere; folders that were configured as absolute paths stay where they are.
set(WRSGPU_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
             BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
             OUTPUT_VARIABLE _up)
  set(WRSGPU_PC_PREFIX "\${pcfiledir}/${_up}")
endif()
foreach(_folder IN ITEMS INCLUDEDIR LIBDIR)
  set(WRSGPU_PC_${_folder} "\${prefix}/${CMAKE_INSTALL_${_folder}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${_folder}}")
    set(WRSGPU_PC_${_folder} ${CMAKE_INSTALL_${_folder}})
  endif()
endforeach()
if(WRSGPU_WITH_CUDA)
  list(JOIN CUDAToolkit_INCLUDE_DIRS " -I" _cuda_includes)
  set(WRSGPU_PC_CFLAGS " -DWRSGPU_WITH_CUDA -I${_cuda_includes}")
  list(GET CUDAToolkit_LIBRARY_DIR 0 _cuda_libraries)
  set(WRSGPU_PC_LIBS " -L${_cuda_libraries} -lcudart_static -ldl -lrt")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/wrsgpu.pc.in ${PROJECT_BINARY_DIR}/wrsgpu.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wrsgpu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
