# Builds a page's program in a project of the page's own, as a reader would.
#   BUILD_DIRECTORY  installed from, components core and physics alone; COMPILER
#   PAGE             folder of the extracted blocks: hello.cpp, hello.expected, build.sh, installed.cmake.txt,
#                    subdirectory.cmake.txt
#   SOURCE           Takt's source tree, for add_subdirectory: that project is configured, not built
cmake_minimum_required(VERSION 3.25)
set(here "${CMAKE_CURRENT_BINARY_DIR}")
file(REMOVE_RECURSE prefix installed subdirectory)

function(run_or_stop directory)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${directory}" RESULT_VARIABLE result OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "'${command}' ended with ${result}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(make_project name)
  file(COPY_FILE "${PAGE}/hello.cpp" "${here}/${name}/hello.cpp")
  file(COPY_FILE "${PAGE}/${name}.cmake.txt" "${here}/${name}/CMakeLists.txt")
endfunction()

set(ENV{CXX} "${COMPILER}")
file(MAKE_DIRECTORY installed subdirectory)
foreach(component IN ITEMS core physics)
  run_or_stop("${here}" "${CMAKE_COMMAND}" --install "${BUILD_DIRECTORY}" --component ${component} --prefix "${here}/prefix")
endforeach()
make_project(installed)
set(ENV{CMAKE_PREFIX_PATH} "${here}/prefix")
run_or_stop("${here}/installed" sh -e "${PAGE}/build.sh")
file(READ "${PAGE}/hello.expected" expected)
string(LENGTH "${expected}" length)
string(LENGTH "${output}" output_length)
math(EXPR first "${output_length} - ${length}")
if(first LESS 0)
  message(FATAL_ERROR "the installed project printed too little:\n${output}")
endif()
string(SUBSTRING "${output}" ${first} -1 tail)
if(NOT "${tail}" STREQUAL "${expected}")
  message(FATAL_ERROR "the page promises:\n${expected}\nthe installed project printed:\n${output}")
endif()

make_project(subdirectory)
file(CREATE_LINK "${SOURCE}" "${here}/subdirectory/takt" SYMBOLIC)
run_or_stop("${here}/subdirectory" "${CMAKE_COMMAND}" -G Ninja -S . -B build)
run_or_stop("${here}/subdirectory" "${CMAKE_COMMAND}" --build build --target hello -- -n)  # a dry run
if(NOT output MATCHES "Linking CXX static library [^\n]*libtakt_physics" OR NOT output MATCHES "Linking CXX executable hello")
  message(FATAL_ERROR "the project with add_subdirectory would build something else:\n${output}")
endif()
