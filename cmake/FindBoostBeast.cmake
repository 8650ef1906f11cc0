# Finds Boost.Beast and the Boost.Asio it stands on as boost::beast: headers alone, without Boost's compiled libraries. Boost's own package is not
# asked, because it wants to know which of those are wanted and gives the headers another target name from release to release.
find_path(BoostBeast_INCLUDE_DIR boost/beast/version.hpp DOC "directory that holds boost/beast.hpp")
mark_as_advanced(BoostBeast_INCLUDE_DIR)
if(BoostBeast_INCLUDE_DIR)
  file(STRINGS "${BoostBeast_INCLUDE_DIR}/boost/version.hpp" BoostBeast_version_line REGEX "define BOOST_VERSION ")
  if(BoostBeast_version_line MATCHES "BOOST_VERSION ([0-9]+)")  # 1.81.0 is 108100
    math(EXPR BoostBeast_major "${CMAKE_MATCH_1} / 100000")
    math(EXPR BoostBeast_minor "${CMAKE_MATCH_1} / 100 % 1000")
    math(EXPR BoostBeast_patch "${CMAKE_MATCH_1} % 100")
    set(BoostBeast_VERSION "${BoostBeast_major}.${BoostBeast_minor}.${BoostBeast_patch}")
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BoostBeast REQUIRED_VARS BoostBeast_INCLUDE_DIR VERSION_VAR BoostBeast_VERSION)
if(BoostBeast_FOUND AND NOT TARGET boost::beast)
  takt_header_only(boost::beast DIRECTORY "${BoostBeast_INCLUDE_DIR}" ENTRIES boost)
endif()
