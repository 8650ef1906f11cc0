# The floating-point contract (DESIGN.md 2) as the build system sees it: takt_determinism carries the flags that every object of ours is built
# with, and configuring stops when the user's own flags would break them. include/takt/core/float_contract.h is the compiler's half of the same check.

# Flags that let a compiler change bits, or that link code which changes the control word at start-up (GCC's crtfastmath.o).
set(TAKT_FORBIDDEN_FLOAT_FLAGS
  -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math -freciprocal-math -ffinite-math-only -fno-signed-zeros
  -ffp-contract=fast -ffp-model=fast -fsingle-precision-constant -mfpmath=387 -mdaz-ftz -march=native -mtune=native-fp)

function(takt_refuse_float_flags)
  set(flags "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  if(type)
    string(APPEND flags " ${CMAKE_C_FLAGS_${type}} ${CMAKE_CXX_FLAGS_${type}} ${CMAKE_EXE_LINKER_FLAGS_${type}}")
  endif()
  separate_arguments(flags)
  foreach(flag IN LISTS flags)
    if(flag IN_LIST TAKT_FORBIDDEN_FLOAT_FLAGS)
      message(FATAL_ERROR "takt: the flag ${flag} changes the bits that physics computes; remove it from CMAKE_CXX_FLAGS or the preset (docs/DETERMINISM.md says why)")
    endif()
  endforeach()
endfunction()
takt_refuse_float_flags()

# -fno-math-errno only drops the errno call after sqrt, which is correctly rounded either way.
add_library(takt_float_flags INTERFACE)
target_compile_options(takt_float_flags INTERFACE
  -ffp-contract=off -fno-fast-math -fno-unsafe-math-optimizations -fno-math-errno)
add_library(takt_determinism INTERFACE)
target_link_libraries(takt_determinism INTERFACE takt_float_flags)
target_compile_options(takt_determinism INTERFACE
  "SHELL:-include ${PROJECT_SOURCE_DIR}/include/takt/core/float_contract.h")
