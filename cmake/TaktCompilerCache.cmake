# Compiles through ccache when the machine has it and the user chose no launcher of his own.
find_program(TAKT_CCACHE ccache DOC "ccache, used as the compiler launcher when present")
mark_as_advanced(TAKT_CCACHE)
if(TAKT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${TAKT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TAKT_CCACHE}")
endif()
