# Finds xxHash's header as xxhash::headers. The library itself is not linked: core includes it with XXH_INLINE_ALL.
find_path(XxHash_INCLUDE_DIR xxhash.h DOC "directory that holds xxhash.h")
mark_as_advanced(XxHash_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XxHash REQUIRED_VARS XxHash_INCLUDE_DIR)
if(XxHash_FOUND)
  takt_header_only(xxhash::headers DIRECTORY "${XxHash_INCLUDE_DIR}" ENTRIES xxhash.h)
endif()
