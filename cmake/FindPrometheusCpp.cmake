# Finds the core of prometheus-cpp (metric families and their text format) as prometheus-cpp::core. Its own package also wants the libraries of its web
# server and its client for push gateways, which Takt does not use.
find_path(PrometheusCpp_INCLUDE_DIR prometheus/text_serializer.h DOC "directory that holds prometheus/text_serializer.h")
find_library(PrometheusCpp_CORE_LIBRARY prometheus-cpp-core DOC "the library prometheus-cpp-core")
mark_as_advanced(PrometheusCpp_INCLUDE_DIR PrometheusCpp_CORE_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCpp REQUIRED_VARS PrometheusCpp_INCLUDE_DIR PrometheusCpp_CORE_LIBRARY)
if(PrometheusCpp_FOUND AND NOT TARGET prometheus-cpp::core)
  add_library(prometheus-cpp::core UNKNOWN IMPORTED GLOBAL)
  set_target_properties(prometheus-cpp::core PROPERTIES IMPORTED_LOCATION "${PrometheusCpp_CORE_LIBRARY}")
  target_include_directories(prometheus-cpp::core INTERFACE "${PrometheusCpp_INCLUDE_DIR}")
endif()
