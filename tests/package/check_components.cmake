# find_package(takt) refuses a component that does not exist, and one that is not installed, with the remedy.
#   BUILD_DIRECTORY (installed from: components core and physics alone), COMPILER
file(REMOVE_RECURSE prefix project)
set(here "${CMAKE_CURRENT_BINARY_DIR}")
foreach(component IN ITEMS core physics)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIRECTORY}" --component ${component} --prefix "${here}/prefix"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(MAKE_DIRECTORY project)

# find_components(<arguments of find_package>...): its result and one line of its text.
function(find_components)
  list(JOIN ARGN " " arguments)
  file(WRITE project/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(probe LANGUAGES CXX)\nfind_package(takt 0.2 ${arguments})\n"
    "message(STATUS \"found: \${takt_FOUND}, physics: \${takt_physics_FOUND}\")\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -G Ninja -S project -B project/build "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${here}/prefix"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n\t]+" " " text "${text}")
  set(result "${result}" PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

function(expect_text pattern)
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "'${pattern}' is not in:\n${text}")
  endif()
endfunction()

find_components(REQUIRED COMPONENTS physics)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the component physics was not found:\n${text}")
endif()
expect_text("found: (1|TRUE), physics: TRUE")

find_components(REQUIRED COMPONENTS physics nonsense)
if(result EQUAL 0)
  message(SEND_ERROR "an unknown component was found:\n${text}")
endif()
expect_text("takt has no component 'nonsense'; it has: core, threads, physics, schemas, protocol, sim, c, crypto, session, net, client, server, replica, service_wire, service_client, service, cli")

find_components(REQUIRED COMPONENTS solver physics nonsense)
expect_text("takt has no component 'solver', 'nonsense'; it has: core, ")

find_components(COMPONENTS physics nonsense)
if(NOT result EQUAL 0)
  message(SEND_ERROR "a package that is not required stopped the project:\n${text}")
endif()
expect_text("found: (0|FALSE)")

find_components(REQUIRED COMPONENTS physics OPTIONAL_COMPONENTS nonsense)
if(NOT result EQUAL 0)
  message(SEND_ERROR "an optional component stopped the project:\n${text}")
endif()

find_components(REQUIRED COMPONENTS physics OPTIONAL_COMPONENTS server)
if(NOT result EQUAL 0)
  message(SEND_ERROR "an optional component that is not installed stopped the project:\n${text}")
endif()
expect_text("found: (1|TRUE), physics: TRUE")

find_components(REQUIRED COMPONENTS threads)
if(result EQUAL 0)
  message(SEND_ERROR "a component that is not installed was found:\n${text}")
endif()
expect_text("takt's component 'threads' is not installed in [^ ]*/prefix; install it with 'cmake --install")
