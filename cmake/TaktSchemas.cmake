# How a FlatBuffers schema becomes a header: takt_schema(<name> [EMBED]) compiles schemas/<name>.fbs with flatc into
# <build>/generated/schemas/<name>_generated.h, included as "schemas/<name>_generated.h" by whoever links takt::schemas.
# EMBED also writes <name>_bfbs_generated.h, the binary schema as bytes, for FlatBuffers' own JSON parser.
# Debian's FlatBuffers 2.0.8 has no generate helper of its own; FindFlatBuffers.cmake found the library and flatc.

add_library(takt_schemas INTERFACE)
add_library(takt::schemas ALIAS takt_schemas)
set_target_properties(takt_schemas PROPERTIES EXPORT_NAME schemas)
# SYSTEM: generated code is not held to our warnings.
target_include_directories(takt_schemas SYSTEM INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
if(TARGET flatbuffers::flatbuffers)
  target_link_libraries(takt_schemas INTERFACE flatbuffers::flatbuffers)
else()  # a cross build: headers, no JSON parser
  target_link_libraries(takt_schemas INTERFACE $<BUILD_INTERFACE:flatbuffers::headers>)
endif()

# Generated headers without anything that is compiled: clang-tidy needs no more.
add_custom_target(takt_generated)

function(takt_schema name)
  cmake_parse_arguments(ARG "EMBED" "" "" ${ARGN})
  set(schema "${PROJECT_SOURCE_DIR}/schemas/${name}.fbs")
  set(out_dir "${PROJECT_BINARY_DIR}/generated/schemas")
  set(outputs "${out_dir}/${name}_generated.h")
  set(flags --cpp --cpp-std c++17 --scoped-enums --warnings-as-errors)
  if(ARG_EMBED)
    list(APPEND outputs "${out_dir}/${name}_bfbs_generated.h")
    list(APPEND flags --bfbs-gen-embed)
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${out_dir}"
    COMMAND "${TAKT_FLATC}" ${flags} -o "${out_dir}" "${schema}"
    DEPENDS "${schema}"
    COMMENT "flatc ${name}.fbs"
    VERBATIM)
  add_custom_target(takt_schema_${name} DEPENDS ${outputs})
  add_dependencies(takt_schemas takt_schema_${name})
  add_dependencies(takt_generated takt_schema_${name})
endfunction()
