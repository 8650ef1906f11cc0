# Runs a snippet of a page and compares what it prints with the page.
#   COMMAND_LINE  program and arguments, separated by |
#   EXPECTED      file with the output; an empty one stands for no output
#   EXIT_CODE     default 0
#   PROGRAMS      folder of the program `takt`, put first in PATH; may be empty
#   EXAMPLES      the folder examples/ of the source tree, seen as examples/ by scripts
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" command "${COMMAND_LINE}")
if(NOT EXIT_CODE)
  set(EXIT_CODE 0)
endif()
if(PROGRAMS)
  set(ENV{PATH} "${PROGRAMS}:$ENV{PATH}")
  file(CREATE_LINK "${EXAMPLES}" examples SYMBOLIC)
endif()
file(GLOB leftovers *.takt keys.txt)  # of an earlier run of the test: takt keeps both kinds
if(leftovers)
  file(REMOVE ${leftovers})
endif()
execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
file(READ "${EXPECTED}" expected)
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${expected}")
string(REGEX REPLACE "(^|\n)\\\\\\.\\\\\\.\\\\\\.\n" "\\1([^\n]*\n)+" pattern "${pattern}")
string(REPLACE "\\.\\.\\." "[^\n]*" pattern "${pattern}")
if(NOT result STREQUAL EXIT_CODE)
  message(FATAL_ERROR "the snippet ended with ${result}, not ${EXIT_CODE}:\n${output}${errors}")
endif()
if(NOT output MATCHES "^${pattern}$")
  message(FATAL_ERROR "the page promises:\n${expected}\nthe snippet printed:\n${output}\nand to stderr:\n${errors}")
endif()
