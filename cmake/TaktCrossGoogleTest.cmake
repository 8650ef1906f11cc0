# GoogleTest for a cross build: the distribution ships its sources (Debian: package googletest), and we build them for the target.
find_path(TAKT_GOOGLETEST_SOURCE googletest/include/gtest/gtest.h
  PATHS /usr/src/googletest NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH DOC "GoogleTest's source tree")
mark_as_advanced(TAKT_GOOGLETEST_SOURCE)
if(NOT TAKT_GOOGLETEST_SOURCE)
  message(FATAL_ERROR "takt: a cross build makes GoogleTest from its sources. On Debian: apt-get install googletest (or ./dev setup matrix); "
    "elsewhere set TAKT_GOOGLETEST_SOURCE.")
endif()
set(BUILD_GMOCK OFF CACHE INTERNAL "")
set(INSTALL_GTEST OFF CACHE INTERNAL "")
add_subdirectory("${TAKT_GOOGLETEST_SOURCE}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
if(NOT TARGET GTest::gtest)
  add_library(GTest::gtest ALIAS gtest)
  add_library(GTest::gtest_main ALIAS gtest_main)
endif()
