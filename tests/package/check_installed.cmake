# Installs the build into a directory of its own and builds an outside project against it with find_package alone: a server, a thin client
# and a tool of a game that Takt does not know. They play a round, and the tool checks its recording.
#   BUILD_DIRECTORY, SOURCE_DIRECTORY, COMPILER, OUTSIDE (the project), EXAMPLES (their folder), NM, STRIP
#   IS_OPTIMISED: the build's sizes and symbols mean something; GUIDE_PROJECT: the CMakeLists.txt of docs/GUIDE.md
file(REMOVE_RECURSE prefix outside guide round)

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

# The headers are the public ones, all of them and no other.
file(GLOB_RECURSE installed RELATIVE "${here}/prefix/include" "${here}/prefix/include/*")
file(GLOB_RECURSE public RELATIVE "${SOURCE_DIRECTORY}/include" "${SOURCE_DIRECTORY}/include/*.h")
list(SORT installed)
list(SORT public)
if(NOT installed STREQUAL public)
  set(extra ${installed})
  list(REMOVE_ITEM extra ${public})
  set(missing ${public})
  list(REMOVE_ITEM missing ${installed})
  message(FATAL_ERROR "installed, but not public: '${extra}'; public, but not installed: '${missing}'")
endif()

run_or_stop("${CMAKE_COMMAND}" -G Ninja -S "${OUTSIDE}" -B outside "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror" "-DCMAKE_PREFIX_PATH=${here}/prefix" "-DEXAMPLES=${EXAMPLES}")
run_or_stop("${CMAKE_COMMAND}" --build outside)
run_or_stop(outside/bin/outside_embed)
if(NOT output MATCHES "^tick 120 height 0\\.[0-9]+ m hash 0x[0-9a-f]+\n$")
  message(FATAL_ERROR "outside_embed printed something else:\n${output}")
endif()
run_or_stop(outside/bin/outside_c)
if(NOT output MATCHES "^fell to 0\\.[0-9]+ m\n$")
  message(FATAL_ERROR "outside_c printed something else:\n${output}")
endif()
# The same program by pkg-config, without CMake.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc "${here}/prefix/*/takt.pc")
  cmake_path(GET pc PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  run_or_stop("${PKG_CONFIG}" --cflags --libs takt)
  string(STRIP "${output}" output)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run_or_stop(cc -std=c99 -pedantic -Werror "${OUTSIDE}/c_main.c" ${flags} -o outside/bin/outside_c_pc)
  cmake_path(GET folder PARENT_PATH libraries)
  run_or_stop("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${libraries}" outside/bin/outside_c_pc)
endif()
if(IS_OPTIMISED)
  set(LIBRARY "${here}/prefix/lib/libtakt_physics.a")
  if(NOT EXISTS "${LIBRARY}")
    file(GLOB LIBRARY "${here}/prefix/lib*/libtakt_physics.a" "${here}/prefix/lib/*/libtakt_physics.a")
  endif()
  foreach(client IN ITEMS outside_client hoops_client)
    set(PROGRAM "${here}/outside/bin/${client}")
    include("${CMAKE_CURRENT_LIST_DIR}/check_thin_client.cmake")
  endforeach()
endif()

# The program is installed too, and knows where it is from.
run_or_stop("${here}/prefix/bin/takt" --version)
run_or_stop("${here}/prefix/bin/takt" run "${here}/prefix/share/takt/scenes/pyramid.json" --ticks 5)
if(NOT output MATCHES "tick 5 hash 0x[0-9a-f]+ bodies [0-9]+ ")
  message(FATAL_ERROR "the installed takt did not end with its line:\n${output}")
endif()

# The schemas define each field of scenes and input scripts.
foreach(schema IN ITEMS scene inputs protocol recording)
  if(NOT EXISTS "${here}/prefix/share/takt/schemas/${schema}.fbs")
    message(FATAL_ERROR "share/takt/schemas/${schema}.fbs is not installed")
  endif()
endforeach()

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

# The project of the guide finds its components and targets.
file(MAKE_DIRECTORY guide)
file(COPY_FILE "${GUIDE_PROJECT}" guide/CMakeLists.txt)
foreach(source IN ITEMS server_main client_main main)
  file(WRITE guide/${source}.cpp "int main() {}\n")
endforeach()
run_or_stop("${CMAKE_COMMAND}" -G Ninja -S guide -B guide/build "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${here}/prefix")

file(MAKE_DIRECTORY round)
run_or_stop("${CMAKE_COMMAND}" -E chdir round sh "${CMAKE_CURRENT_LIST_DIR}/play_round.sh" "${here}/outside/bin" "${OUTSIDE}/arena.json"
  "${here}/prefix/bin/takt")
