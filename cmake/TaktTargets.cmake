# How a Takt module, kernel and program becomes a target. Flags travel on interface targets, never in global variables; dependencies are
# exactly those that DESIGN.md 3 draws.

include(GNUInstallDirs)

add_library(takt_warnings INTERFACE)
target_compile_options(takt_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  # GCC 12 sees things that are not there: overlaps in std::string operator+ (its bug 105651), and at -O3 unset members of std::variant.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized>)

# What a whole build must agree on: the costly checks and the sanitizers. Public inside the build, absent from the installed package.
add_library(takt_build_mode INTERFACE)
if(TAKT_VALIDATION)
  target_compile_definitions(takt_build_mode INTERFACE TAKT_VALIDATION=1)
endif()
if(TAKT_SANITIZE)
  list(JOIN TAKT_SANITIZE "," sanitizers)
  target_compile_options(takt_build_mode INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(takt_build_mode INTERFACE -fsanitize=${sanitizers})
endif()

# ccache needs -fpch-preprocess and -fno-pch-timestamp. GCC 12 warns wrongly of std::string's operator+ in a precompiled header.
set(TAKT_PRECOMPILED_FLAGS
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
set(TAKT_STANDARD_HEADERS
  <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <set> <span> <string> <string_view> <variant> <vector>)
# GCC ignores a precompiled header behind another forced header, so the float contract stands first inside it.
set(TAKT_FLOAT_CONTRACT "${PROJECT_SOURCE_DIR}/include/takt/core/float_contract.h")

# takt_link_privately(<target> <library>...): a library that has only headers is needed while we compile and is left out of the exported package.
function(takt_link_privately target)
  foreach(library IN LISTS ARGN)
    set(header_only FALSE)
    if(TARGET ${library})
      get_target_property(header_only ${library} TAKT_HEADER_ONLY)
    endif()
    if(header_only)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
    else()
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
endfunction()

# takt_unity(<target>): with TAKT_UNITY_BATCH, so many sources of the target are compiled as one (a unity build). They read their headers once
# and instantiate a template once. Names in their unnamed namespaces must then differ.
function(takt_unity target)
  if(TAKT_UNITY_BATCH GREATER 0)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${TAKT_UNITY_BATCH})
  endif()
endfunction()

# takt_module(<name> SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...] [PRECOMPILED] [UNITY]): static library takt_<name> with alias takt::<name>.
# DEPENDS shows in the module's headers, PRIVATE_DEPENDS only in its sources. PRECOMPILED: with TAKT_PRECOMPILED_HEADERS the standard
# library's headers stand before each source, so no source may have machine or optimisation flags of its own.
function(takt_module name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "PRECOMPILED;UNITY" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  add_library(takt_${name} STATIC ${ARG_SOURCES})
  add_library(takt::${name} ALIAS takt_${name})
  target_compile_features(takt_${name} PUBLIC cxx_std_20)
  set_target_properties(takt_${name} PROPERTIES CXX_EXTENSIONS OFF EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  # Public, so that a user's copy of an inline function of our headers, which the linker may pick for the whole program, has our bits.
  target_compile_options(takt_${name} PUBLIC -ffp-contract=off)
  target_include_directories(takt_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(takt_${name}
    PUBLIC ${ARG_DEPENDS} $<BUILD_INTERFACE:takt_build_mode>
    PRIVATE $<BUILD_INTERFACE:takt_warnings>)
  takt_link_privately(takt_${name} ${ARG_PRIVATE_DEPENDS})
  if(ARG_UNITY)
    takt_unity(takt_${name})
  endif()
  if(ARG_PRECOMPILED AND TAKT_PRECOMPILED_HEADERS)
    target_link_libraries(takt_${name} PRIVATE $<BUILD_INTERFACE:takt_float_flags>)
    target_compile_options(takt_${name} PRIVATE ${TAKT_PRECOMPILED_FLAGS})
    target_precompile_headers(takt_${name} PRIVATE ${TAKT_FLOAT_CONTRACT} ${TAKT_STANDARD_HEADERS})
  else()
    target_link_libraries(takt_${name} PRIVATE $<BUILD_INTERFACE:takt_determinism>)
  endif()
endfunction()

# takt_kernel_sources(<target> OPTIONS <flag>... SOURCES <file>...): sources of a module that hold one SIMD width of a kernel, compiled with extra
# flags on x86-64. Elsewhere they are compiled without the flags, so the same width still exists and must give the same bits.
# A kernel source keeps everything but its entry point in an unnamed namespace: an inline function that leaks out of it could be picked by the
# linker for the whole program and crash on a machine without the instructions.
function(takt_kernel_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "OPTIONS;SOURCES")
  target_sources(${target} PRIVATE ${ARG_SOURCES})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS}")
  endif()
endfunction()

# takt_program(<name> SOURCES ... [DEPENDS ...] [PRECOMPILED <target>]): an executable with our warnings and flags.
# PRECOMPILED names a target of takt_precompiled, whose headers then stand before each source.
function(takt_program name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "PRECOMPILED" "SOURCES;DEPENDS")
  add_executable(${name} ${ARG_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} takt_build_mode takt_warnings)
  if(ARG_PRECOMPILED AND TARGET ${ARG_PRECOMPILED})
    target_link_libraries(${name} PRIVATE takt_float_flags)
    target_compile_options(${name} PRIVATE ${TAKT_PRECOMPILED_FLAGS})
    target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
  else()
    target_link_libraries(${name} PRIVATE takt_determinism)
  endif()
endfunction()

# takt_precompiled(<name> HEADERS ... [DEPENDS ...] [OPTIONS ...]): with TAKT_PRECOMPILED_HEADERS, headers of libraries that takt_program may name.
function(takt_precompiled name)
  if(NOT TAKT_PRECOMPILED_HEADERS OR TARGET ${name})
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "HEADERS;DEPENDS;OPTIONS")
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "// takt_precompiled needs a source.\n")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} takt_build_mode takt_warnings takt_float_flags)
  target_compile_options(${name} PRIVATE ${TAKT_PRECOMPILED_FLAGS} ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${TAKT_FLOAT_CONTRACT} ${ARG_HEADERS})
endfunction()
