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
