# How a Takt module becomes a target: C++20, warnings and determinism flags as interface targets, dependencies exactly as DESIGN.md 3 draws them.

add_library(takt_warnings INTERFACE)
target_compile_options(takt_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast)

# Every object whose arithmetic can reach canonical state is built with these.
add_library(takt_determinism INTERFACE)
target_compile_options(takt_determinism INTERFACE -ffp-contract=off -fno-fast-math -fno-unsafe-math-optimizations)

# takt_module(<name> SOURCES ... DEPENDS ...): static library takt_<name> with alias takt::<name>.
function(takt_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(takt_${name} STATIC ${ARG_SOURCES})
  add_library(takt::${name} ALIAS takt_${name})
  target_compile_features(takt_${name} PUBLIC cxx_std_20)
  set_target_properties(takt_${name} PROPERTIES CXX_EXTENSIONS OFF EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(takt_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(takt_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS} $<BUILD_INTERFACE:takt_warnings> $<BUILD_INTERFACE:takt_determinism>)
endfunction()
