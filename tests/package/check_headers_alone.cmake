# Every public header compiles alone, twice in a row, under the warnings a careful stranger uses.
#   COMPILER, INCLUDE_DIRECTORY
file(GLOB_RECURSE headers RELATIVE "${INCLUDE_DIRECTORY}" "${INCLUDE_DIRECTORY}/*.h")
list(LENGTH headers count)
if(count EQUAL 0)
  message(FATAL_ERROR "no headers in ${INCLUDE_DIRECTORY}")
endif()
foreach(header IN LISTS headers)
  file(WRITE header_alone.cpp "#include \"${header}\"\n#include \"${header}\"\n")
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "${INCLUDE_DIRECTORY}" header_alone.cpp
    RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${header} does not compile alone:\n${errors}")
  endif()
endforeach()
message(STATUS "${count} headers compile alone")
