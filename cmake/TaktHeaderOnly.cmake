# takt_header_only(<target> DIRECTORY <where> ENTRIES <file or folder>...): an imported interface target for a library that is only headers.
#
# A host's /usr/include must never be on a cross compiler's path: it holds the host's C library. There only the named entries
# are linked into a directory of the build tree, and that directory is used instead.
function(takt_header_only target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DIRECTORY" "ENTRIES")
  if(TARGET ${target})
    return()
  endif()
  if(CMAKE_CROSSCOMPILING)
    string(MAKE_C_IDENTIFIER "${target}" name)
    set(mirror "${CMAKE_BINARY_DIR}/host_headers/${name}")
    file(MAKE_DIRECTORY "${mirror}")
    foreach(entry IN LISTS ARG_ENTRIES)
      file(CREATE_LINK "${ARG_DIRECTORY}/${entry}" "${mirror}/${entry}" SYMBOLIC)
    endforeach()
    set(ARG_DIRECTORY "${mirror}")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES TAKT_HEADER_ONLY TRUE)
  target_include_directories(${target} INTERFACE "${ARG_DIRECTORY}")
endfunction()
