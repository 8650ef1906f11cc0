# Build of the JavaScript SDK and declaration of its Node tests. It needs node 18 or later and npm. npm
# fetches the packages of package-lock.json and no others, from its own cache if possible.

find_program(TAKT_NODE NAMES node nodejs DOC "Node, 18 or later")
find_program(TAKT_NPM NAMES npm DOC "npm")
if(TAKT_NODE)
  execute_process(COMMAND "${TAKT_NODE}" --version
    OUTPUT_VARIABLE TAKT_NODE_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" TAKT_NODE_VERSION "${TAKT_NODE_VERSION}")
endif()
if(NOT TAKT_NODE OR NOT TAKT_NPM OR TAKT_NODE_VERSION VERSION_LESS 18)
  message(FATAL_ERROR "TAKT_JS needs node 18 or later and npm "
    "(node: '${TAKT_NODE}' ${TAKT_NODE_VERSION}, npm: '${TAKT_NPM}'). "
    "Run ./dev setup web, or configure with -DTAKT_JS=OFF to build without the SDK and the viewer.")
endif()

# The directory of the built SDK: an installable npm package.
set(TAKT_JS_DIR "${PROJECT_BINARY_DIR}/js")

# takt_npm_ci(<stamp> <source dir> <directory>): installs the packages of the source directory's
# package-lock.json into <directory>/node_modules.
function(takt_npm_ci stamp source_dir directory)
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${directory}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${source_dir}/package.json" "${source_dir}/package-lock.json"
      "${directory}"
    COMMAND "${CMAKE_COMMAND}" "-DNPM=${TAKT_NPM}" "-DDIRECTORY=${directory}"
      -P "${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${source_dir}/package.json" "${source_dir}/package-lock.json"
    COMMENT "npm ci for ${directory}"
    VERBATIM)
endfunction()

# takt_js_test(<name> LABEL <label> SCRIPT <file below TAKT_JS_DIR> [TIMEOUT <seconds>]): a file of node:test
# cases in TAKT_JS_DIR. Environment variables name the source tree and the program.
function(takt_js_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "LABEL;SCRIPT;TIMEOUT" "")
  if(NOT ARG_LABEL IN_LIST TAKT_TEST_LABELS)
    message(FATAL_ERROR "takt_js_test(${name}): LABEL '${ARG_LABEL}' is none of: ${TAKT_TEST_LABELS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND "${TAKT_NODE}" --test "${TAKT_JS_DIR}/${ARG_SCRIPT}"
    WORKING_DIRECTORY "${TAKT_JS_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "js;${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "TAKT_SOURCE_DIR=${PROJECT_SOURCE_DIR};TAKT_PROGRAM=$<TARGET_FILE:takt>")
endfunction()
