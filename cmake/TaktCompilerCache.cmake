# Compiles through ccache when the machine has it and the user chose no launcher of his own.
find_program(TAKT_CCACHE ccache DOC "ccache, used as the compiler launcher when present")
mark_as_advanced(TAKT_CCACHE)
if(TAKT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher "")
  if(CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    # These generators have the compiler list the headers that it read (-MD). ccache keys an object that it
    # lacks by that list, and without it runs the preprocessor before the compiler. A cold build then reads
    # each header twice.
    list(APPEND launcher CCACHE_DEPEND=1)
  endif()
  if(TAKT_PRECOMPILED_HEADERS)  # ccache does not look into a precompiled header by default
    list(APPEND launcher CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
  if(launcher)
    find_program(TAKT_ENV env DOC "sets ccache's variables; it starts faster than cmake -E env")
    mark_as_advanced(TAKT_ENV)
    if(TAKT_ENV)
      list(PREPEND launcher "${TAKT_ENV}")
    else()
      list(PREPEND launcher "${CMAKE_COMMAND}" -E env)
    endif()
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher} "${TAKT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher} "${TAKT_CCACHE}")
endif()
