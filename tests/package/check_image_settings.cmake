# A machine with settings of npm and apt, made of files: docker/host_settings.sh hands on what a build needs
# and nothing that names a file of the machine, and docker/with_settings.sh gives it to a command. SOURCE: the
# tree.
file(REMOVE_RECURSE machine secrets)
file(WRITE machine/home/.npmrc [=[
# a comment
registry=https://registry.example/npm/
//registry.example/npm/:_authToken=${TAKT_TEST_TOKEN}
@own:registry=https://own.example/
unset=${TAKT_TEST_UNSET}
cafile=/machine/only.pem
prefix = /machine/prefix
nodedir=/machine/node
]=])
file(WRITE machine/global "strict-ssl=true\n")
file(WRITE machine/one.pem "certificate one\n")
file(WRITE machine/two.pem "certificate two\n")
file(WRITE machine/apt/auth.conf.d/mirror.conf "machine mirror.example login me password secret\n")
file(WRITE machine/apt.conf
  "Acquire::http::Proxy \"http://proxy.example:3128\";\nAcquire::https::CAInfo \"/machine/only.pem\";\n")
# npm of the machine answers `config get`, as the real one does.
file(WRITE machine/bin/npm [=[#!/bin/sh
case $3 in
  globalconfig) echo "$TAKT_MACHINE/global" ;;
  userconfig) echo "$TAKT_MACHINE/home/.npmrc" ;;
  cafile) echo "$TAKT_MACHINE/one.pem" ;;
esac
]=])
file(CHMOD machine/bin/npm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(machine "${CMAKE_CURRENT_BINARY_DIR}/machine")
set(environment "TAKT_MACHINE=${machine}" "PATH=${machine}/bin:$ENV{PATH}" TAKT_TEST_TOKEN=token-of-a-person
  "NODE_EXTRA_CA_CERTS=${machine}/two.pem" "SSL_CERT_FILE=${machine}/one.pem" "APT_CONFIG=${machine}/apt.conf"
  "TAKT_APT_ETC=${machine}/apt" npm_config_https_proxy=http://npm-proxy.example)

function(run_or_stop)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=TAKT_TEST_UNSET ${environment} ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${result}:\n${output}${error}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_lines file)
  file(READ "secrets/${file}" text)
  foreach(line IN LISTS ARGN)
    string(FIND "\n${text}" "\n${line}\n" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "secrets/${file} lacks the line '${line}':\n${text}")
    endif()
  endforeach()
  if(text MATCHES "/machine/(only|prefix|node)")
    message(FATAL_ERROR "secrets/${file} names a file of the machine:\n${text}")
  endif()
endfunction()

run_or_stop(bash "${SOURCE}/docker/host_settings.sh" secrets)
expect_lines(npmrc "strict-ssl=true" "registry=https://registry.example/npm/"
  "@own:registry=https://own.example/" "//registry.example/npm/:_authToken=token-of-a-person"
  "unset=\${TAKT_TEST_UNSET}" "https-proxy=http://npm-proxy.example")
expect_lines(ca "certificate one" "certificate two")
file(STRINGS secrets/ca once REGEX "certificate one")
list(LENGTH once count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "a certificate file with two names is handed on ${count} times")
endif()
expect_lines(apt_auth "machine mirror.example login me password secret")
if(EXISTS /usr/bin/apt-config)
  expect_lines(apt_conf) # its lines end with semicolons, which separate the items of a list
  file(READ secrets/apt_conf text)
  if(NOT text MATCHES "Acquire::http::Proxy \"http://proxy.example:3128\"")
    message(FATAL_ERROR "secrets/apt_conf lacks the proxy:\n${text}")
  endif()
endif()
file(WRITE secrets/apt_conf "Acquire::http::Proxy \"http://proxy.example:3128\";\n")

# Inside the build.
run_or_stop("TAKT_SECRETS=${CMAKE_CURRENT_BINARY_DIR}/secrets" sh "${SOURCE}/docker/with_settings.sh"
  sh -c "echo $npm_config_userconfig $NODE_EXTRA_CA_CERTS && cat $APT_CONFIG")
foreach(part IN ITEMS "secrets/npmrc" "secrets/ca\n" "Acquire::https::CAInfo" "proxy.example:3128"
    "Dir::Etc::netrc")
  if(NOT output MATCHES "${part}")
    message(FATAL_ERROR "the command has no ${part}:\n${output}")
  endif()
endforeach()
run_or_stop("TAKT_SECRETS=${CMAKE_CURRENT_BINARY_DIR}/none" sh "${SOURCE}/docker/with_settings.sh" sh -c
  "echo [$npm_config_userconfig]")
if(NOT output STREQUAL "[]\n")
  message(FATAL_ERROR "without secrets the command has other settings: ${output}")
endif()

# A step that runs npm or apt without the settings fails where they are needed.
file(READ "${SOURCE}/docker/Dockerfile" dockerfile)
string(REGEX REPLACE "\\\\\n" " " dockerfile "${dockerfile}")
string(REGEX MATCHALL "(&&|RUN|apt_auth|npmrc)[^&\n]*(apt-get (update|install)|cmake --build)" steps
  "${dockerfile}")
list(LENGTH steps count)
if(count LESS 5)
  message(FATAL_ERROR "docker/Dockerfile has ${count} steps that reach a network, not 5: ${steps}")
endif()
foreach(step IN LISTS steps)
  if(NOT step MATCHES "with_settings.sh")
    message(FATAL_ERROR "docker/Dockerfile: '${step}' runs without docker/with_settings.sh")
  endif()
endforeach()
