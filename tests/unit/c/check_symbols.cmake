# libtakt.so exports the functions of takt.h, all of them and no other symbol.
#   NM, LIBRARY, HEADER
execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" symbols "${text}")
list(TRANSFORM symbols STRIP)
list(SORT symbols)
file(READ "${HEADER}" header)
string(REGEX MATCHALL "TAKT_API [^;(]*takt_[a-z_]+\\(" functions "${header}")
list(TRANSFORM functions REPLACE ".*(takt_[a-z_]+)\\($" "\\1")
list(SORT functions)
list(LENGTH functions count)
if(count LESS 60 OR NOT symbols STREQUAL functions)
  message(FATAL_ERROR "exported:\n  ${symbols}\ndeclared (${count}):\n  ${functions}")
endif()
