# The commit that recorded runs name; looked up by every build, compiled only when it has changed.
set(_commit_header ${PROJECT_BINARY_DIR}/generated/wrsgpu_commit.hpp)
add_custom_target(wrsgpu_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${_commit_header}
          -P ${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake
  BYPRODUCTS ${_commit_header} VERBATIM)

# wrsgpu_names_commit(<target>): it can include wrsgpu_commit.hpp.
function(wrsgpu_names_commit target)
  add_dependencies(${target} wrsgpu_commit)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
