# Forms that hide a mistake do not compile, and each is refused for its own reason; the good forms beside them compile.
# The headers are precompiled once; each form is compiled alone behind them.
#   COMPILER, SOURCE (misuse.cpp), HEADER (misuse.h), INCLUDE_DIRECTORY
file(STRINGS "${SOURCE}" forms REGEX "FORM == [0-9]+ +// refused: ")
list(LENGTH forms count)
if(count LESS 13)
  message(FATAL_ERROR "${SOURCE} has ${count} forms, expected 13 or more")
endif()

set(flags -std=c++20 -Wall -Wextra -Werror -I "${INCLUDE_DIRECTORY}")
file(WRITE prelude.h "#include \"${HEADER}\"\n")
execute_process(COMMAND "${COMPILER}" ${flags} -x c++-header prelude.h -o prelude.h.gch
  RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the good forms do not compile:\n${errors}")
endif()

function(compile form)
  execute_process(
    COMMAND "${COMPILER}" ${flags} -fsyntax-only -Winvalid-pch -DFORM=${form} -include prelude.h "${SOURCE}"
    RESULT_VARIABLE result ERROR_VARIABLE errors)
  set(result "${result}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

compile(0)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the good forms do not compile:\n${errors}")
endif()
foreach(form RANGE 1 ${count})
  math(EXPR index "${form} - 1")
  list(GET forms ${index} line)
  if(NOT line MATCHES "FORM == ${form} +// refused: (.+)$")
    message(FATAL_ERROR "form ${form} is missing in ${SOURCE}")
  endif()
  set(reason "${CMAKE_MATCH_1}")
  compile(${form})
  string(FIND "${errors}" "${reason}" at)
  if(result EQUAL 0)
    message(SEND_ERROR "form ${form} compiles")
  elseif(at EQUAL -1)
    message(SEND_ERROR "form ${form} is refused, but not for '${reason}':\n${errors}")
  endif()
endforeach()
message(STATUS "${count} bad forms are refused")
