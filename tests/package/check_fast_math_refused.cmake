# Neither configuring with fast-math, nor compiling one of our sources with it or for the x87 unit, nor a user's program that includes our physics may succeed,
# and each says why.
#   COMPILER, COMPILER_ID, PROCESSOR, SOURCE_DIRECTORY
set(contract "${SOURCE_DIRECTORY}/include/takt/core/float_contract.h")
file(WRITE ours.cpp "int main() {}\n")
file(WRITE users.cpp "#include <takt/physics/world.h>\nint main() {}\n")

function(compile_with result_variable errors_variable)
  execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE errors)
  set(${result_variable} "${result}" PARENT_SCOPE)
  set(${errors_variable} "${errors}" PARENT_SCOPE)
endfunction()

set(ours -include "${contract}" ours.cpp)
set(users -I "${SOURCE_DIRECTORY}/include" users.cpp)
foreach(whose ours users)
  compile_with(result errors -O2 ${${whose}})
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${whose}.cpp is refused with plain -O2:\n${errors}")
  endif()
  foreach(flag -ffast-math -Ofast -ffinite-math-only)
    compile_with(result errors ${flag} ${${whose}})
    if(result EQUAL 0 OR NOT errors MATCHES "fast-math changes the bits")
      message(SEND_ERROR "compiling ${whose}.cpp with ${flag} was not refused with a reason:\n${errors}")
    endif()
  endforeach()
  # The x87 unit computes in 80 bits: GCC for x86 can be told to use it.
  compile_with(result errors -mfpmath=387 ${${whose}})
  if(PROCESSOR STREQUAL "x86_64" AND COMPILER_ID STREQUAL "GNU" AND (result EQUAL 0 OR NOT errors MATCHES "computes floats in a wider type"))
    message(SEND_ERROR "compiling ${whose}.cpp for the x87 unit was not refused with a reason:\n${errors}")
  endif()
endforeach()

file(MAKE_DIRECTORY configure)
file(WRITE configure/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(probe LANGUAGES CXX)\n"
  "set(PROJECT_SOURCE_DIR \"${SOURCE_DIRECTORY}\")\ninclude(\"${SOURCE_DIRECTORY}/cmake/TaktFloatFlags.cmake\")\n")
foreach(flag -O2 -ffast-math -funsafe-math-optimizations -ffp-contract=fast -march=native)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S configure -B configure/build "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${flag}"
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  if(flag STREQUAL "-O2")
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "configuring with plain -O2 failed:\n${errors}")
    endif()
  elseif(result EQUAL 0 OR NOT errors MATCHES "changes the bits")
    message(SEND_ERROR "configuring with ${flag} was not refused with a reason:\n${errors}")
  endif()
endforeach()
