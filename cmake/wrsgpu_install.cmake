# Installation, and the package that find_package(wrsgpu CONFIG) finds.
include(CMakePackageConfigHelpers)

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wrsgpu)
set_target_properties(wrsgpu_verification PROPERTIES EXPORT_NAME verification)
install(TARGETS wrsgpu wrsgpu_verification EXPORT wrsgpu_targets)
foreach(folder IN LISTS WRSGPU_PUBLIC_FOLDERS)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wrsgpu
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh"
          PATTERN tests EXCLUDE PATTERN drivers EXCLUDE PATTERN data EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/weights/data DESTINATION ${CMAKE_INSTALL_DATADIR}/wrsgpu)
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
