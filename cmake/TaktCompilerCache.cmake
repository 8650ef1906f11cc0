# Compiles through ccache when the machine has it and the user chose no launcher of his own.
find_program(TAKT_CCACHE ccache DOC "ccache, used as the compiler launcher when present")
mark_as_advanced(TAKT_CCACHE)
if(TAKT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  if(TAKT_PRECOMPILED_HEADERS)  # ccache does not look into a precompiled header by default
    set(TAKT_CCACHE "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${TAKT_CCACHE}")
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER "${TAKT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TAKT_CCACHE}")
endif()
