# Writes OUTPUT, a header with the commit of SOURCE, and "-dirty" where anything but the records
# differs from it; an unchanged header is left alone, so that nothing is compiled again.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE failed)
execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- . ":(exclude)experiments/results"
                ERROR_QUIET RESULT_VARIABLE changed)
if(failed)
  set(commit "unknown")
elseif(changed)
  string(APPEND commit "-dirty")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once
namespace wrsgpu {
inline constexpr const char* source_commit = \"${commit}\";
}
")
