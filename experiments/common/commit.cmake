# Writes OUTPUT, a header with the commit of SOURCE; an unchanged one is left alone, so that
# nothing is compiled again.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once
namespace wrsgpu::experiments {
inline constexpr const char* commit = \"${commit}\";
}
")
