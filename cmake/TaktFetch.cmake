# Fetches what find_package did not find (TAKT_FETCH_DEPENDENCIES), at the versions that Debian 12 has, and gives it the same target names.
# -DFETCHCONTENT_SOURCE_DIR_<NAME>=<folder> uses sources that are already here.
include(FetchContent)

# takt_fetch_sources(<name> <repository> <tag>): sources in <name>_SOURCE_DIR, without running their CMake.
macro(takt_fetch_sources name repository tag)
  FetchContent_Declare(${name} GIT_REPOSITORY "${repository}" GIT_TAG "${tag}" GIT_SHALLOW TRUE SOURCE_SUBDIR no-cmake)
  FetchContent_MakeAvailable(${name})
endmacro()

# takt_fetch_project(<name> <repository> <tag>): the same, and their targets.
macro(takt_fetch_project name repository tag)
  FetchContent_Declare(${name} GIT_REPOSITORY "${repository}" GIT_TAG "${tag}" GIT_SHALLOW TRUE)
  FetchContent_MakeAvailable(${name})
endmacro()

function(takt_fetch_XxHash)
  takt_fetch_sources(xxhash https://github.com/Cyan4973/xxHash.git v0.8.1)
  takt_header_only(xxhash::headers DIRECTORY "${xxhash_SOURCE_DIR}" ENTRIES xxhash.h)
endfunction()

function(takt_fetch_FlatBuffers)
  set(FLATBUFFERS_BUILD_TESTS OFF CACHE INTERNAL "")
  set(FLATBUFFERS_INSTALL OFF CACHE INTERNAL "")
  takt_fetch_project(flatbuffers https://github.com/google/flatbuffers.git v2.0.8)
  set_target_properties(flatbuffers PROPERTIES POSITION_INDEPENDENT_CODE ON)  # libtakt.so has it inside
  add_library(flatbuffers::flatbuffers ALIAS flatbuffers)
  takt_header_only(flatbuffers::headers DIRECTORY "${flatbuffers_SOURCE_DIR}/include" ENTRIES flatbuffers)
  set(TAKT_FLATC flatc CACHE INTERNAL "")  # a custom command takes the target's name
endfunction()

function(takt_fetch_Asio)
  takt_fetch_sources(asio https://github.com/chriskohlhoff/asio.git asio-1-22-1)
  takt_header_only(asio::asio DIRECTORY "${asio_SOURCE_DIR}/asio/include" ENTRIES asio.hpp asio)
  target_compile_definitions(asio::asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
endfunction()

function(takt_fetch_BoostBeast)
  # A hundred megabytes of archive for one header-only library, whose checksum nobody here could verify: said instead of fetched.
  message(FATAL_ERROR "Boost's headers (1.81 or newer) are not fetched: install libboost1.81-dev or your system's package, or take boost-beast from vcpkg.json")
endfunction()

function(takt_fetch_Sodium)
  message(FATAL_ERROR "libsodium (1.0.18 or newer) has no CMake build and is not fetched: install libsodium-dev or your system's package, or take libsodium from vcpkg.json")
endfunction()

function(takt_fetch_OpenSSL)
  message(FATAL_ERROR "OpenSSL (3.0 or newer) has no CMake build and is not fetched: install libssl-dev or your system's package, or take openssl from vcpkg.json")
endfunction()

function(takt_fetch_PrometheusCpp)
  set(ENABLE_PULL OFF CACHE INTERNAL "")
  set(ENABLE_PUSH OFF CACHE INTERNAL "")
  set(ENABLE_TESTING OFF CACHE INTERNAL "")
  takt_fetch_project(prometheus-cpp https://github.com/jupp0r/prometheus-cpp.git v1.0.1)
endfunction()

function(takt_fetch_spdlog)
  takt_fetch_project(spdlog https://github.com/gabime/spdlog.git v1.10.0)
endfunction()

function(takt_fetch_CLI11)
  takt_fetch_project(cli11 https://github.com/CLIUtils/CLI11.git v2.1.2)
endfunction()

function(takt_fetch_GTest)
  set(BUILD_GMOCK OFF CACHE INTERNAL "")
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  takt_fetch_project(googletest https://github.com/google/googletest.git release-1.12.1)
  if(NOT TARGET GTest::gtest)
    add_library(GTest::gtest ALIAS gtest)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
endfunction()

function(takt_fetch_benchmark)
  set(BENCHMARK_ENABLE_TESTING OFF CACHE INTERNAL "")
  set(BENCHMARK_ENABLE_INSTALL OFF CACHE INTERNAL "")
  takt_fetch_project(benchmark https://github.com/google/benchmark.git v1.7.1)
endfunction()
