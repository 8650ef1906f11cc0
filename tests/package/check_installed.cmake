# Installs the build into a directory of its own and builds and runs an outside project against it: our own examples, with find_package alone.
#   BUILD_DIRECTORY, COMPILER, OUTSIDE (the project), EXAMPLES (their folder)
file(REMOVE_RECURSE prefix outside)

function(run_or_stop)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "'${command}' ended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(here "${CMAKE_CURRENT_BINARY_DIR}")
run_or_stop("${CMAKE_COMMAND}" --install "${BUILD_DIRECTORY}" --prefix "${here}/prefix")
run_or_stop("${CMAKE_COMMAND}" -G Ninja -S "${OUTSIDE}" -B outside "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${here}/prefix"
  "-DEXAMPLES=${EXAMPLES}")
run_or_stop("${CMAKE_COMMAND}" --build outside)
run_or_stop(outside/outside_embed)
if(NOT output MATCHES "^tick 120 height 0\\.[0-9]+ m hash 0x[0-9a-f]+\n$")
  message(FATAL_ERROR "outside_embed printed something else:\n${output}")
endif()

# The program is installed too, and knows where it is from.
run_or_stop("${here}/prefix/bin/takt" --version)
run_or_stop("${here}/prefix/bin/takt" run "${here}/prefix/share/takt/scenes/pyramid.json" --ticks 5)
if(NOT output MATCHES "tick 5 hash 0x[0-9a-f]+ bodies [0-9]+ ")
  message(FATAL_ERROR "the installed takt did not end with its line:\n${output}")
endif()

# Its pages and scripts stand where man and the shells find them.
foreach(file IN ITEMS man/man1/takt.1 man/man1/takt-run.1 man/man1/takt-replay.1 bash-completion/completions/takt
    zsh/site-functions/_takt fish/vendor_completions.d/takt.fish)
  if(NOT EXISTS "${here}/prefix/share/${file}")
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
  file(READ "${here}/prefix/share/${file}" text)
  if(NOT text MATCHES "replay")
    message(FATAL_ERROR "share/${file} does not name the commands of takt:\n${text}")
  endif()
endforeach()
