# Finds FlatBuffers, whose own package is spelled differently from release to release, and always gives:
#   flatbuffers::headers      reading and writing buffers needs nothing else
#   flatbuffers::flatbuffers  the library with the JSON parser; absent when cross compiling
#   TAKT_FLATC                the schema compiler, a program of the machine that builds
find_path(FlatBuffers_INCLUDE_DIR flatbuffers/flatbuffers.h DOC "directory that holds flatbuffers/flatbuffers.h")
find_program(TAKT_FLATC flatc DOC "the FlatBuffers schema compiler")
mark_as_advanced(FlatBuffers_INCLUDE_DIR TAKT_FLATC)
if(NOT CMAKE_CROSSCOMPILING AND NOT TARGET flatbuffers::flatbuffers)
  find_package(FlatBuffers QUIET CONFIG NAMES FlatBuffers Flatbuffers flatbuffers)
endif()
if(FlatBuffers_INCLUDE_DIR)
  file(STRINGS "${FlatBuffers_INCLUDE_DIR}/flatbuffers/base.h" FlatBuffers_version_lines REGEX "define FLATBUFFERS_VERSION_(MAJOR|MINOR|REVISION) ")
  string(REGEX REPLACE "[^0-9;]" "" FlatBuffers_VERSION "${FlatBuffers_version_lines}")
  list(JOIN FlatBuffers_VERSION "." FlatBuffers_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FlatBuffers REQUIRED_VARS FlatBuffers_INCLUDE_DIR TAKT_FLATC VERSION_VAR FlatBuffers_VERSION)
if(FlatBuffers_FOUND)
  takt_header_only(flatbuffers::headers DIRECTORY "${FlatBuffers_INCLUDE_DIR}" ENTRIES flatbuffers)
endif()
