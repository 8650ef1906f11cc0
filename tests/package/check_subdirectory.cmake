# The outside project works with add_subdirectory as with find_package: its sources compile, without a private header in reach, and its
# programs would link the libraries of the tree. The libraries themselves are not built again: that is a dry run.
#   SOURCE (Takt's tree), COMPILER, OUTSIDE, EXAMPLES
file(REMOVE_RECURSE outside)

function(run_or_stop)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "'${command}' ended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run_or_stop("${CMAKE_COMMAND}" -G Ninja -S "${OUTSIDE}" -B outside "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DTAKT_SOURCE=${SOURCE}"
  "-DEXAMPLES=${EXAMPLES}")
set(objects "")
foreach(source IN ITEMS hoops_server.dir/hoops hoops_server.dir/server_main hoops_server.dir/private_headers hoops_client.dir/client_main
    hoops_client.dir/private_headers hoops.dir/tool_main hoops.dir/private_headers)
  list(APPEND objects CMakeFiles/${source}.cpp.o)
endforeach()
run_or_stop("${CMAKE_COMMAND}" --build outside --target ${objects})
run_or_stop("${CMAKE_COMMAND}" --build outside --target hoops hoops_server hoops_client -- -n)
foreach(product IN ITEMS "static library [^\n]*libtakt_cli" "static library [^\n]*libtakt_server" "executable bin/hoops_server"
    "executable bin/hoops_client" "executable bin/hoops")
  if(NOT output MATCHES "Linking CXX ${product}")
    message(SEND_ERROR "'${product}' would not be linked:\n${output}")
  endif()
endforeach()
