# A machine with settings of npm and apt, made of files: docker/host_settings.sh hands on what a build needs
# and nothing that names a file of the machine, and docker/with_settings.sh gives it to a command. SOURCE: the
# tree.
file(REMOVE_RECURSE machine secrets own_proxies proxies http_proxy no_proxies)
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

# Proxies of the machine that runs the test do not count.
set(unset --unset=TAKT_TEST_UNSET)
foreach(name IN ITEMS http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY npm_config_proxy
    npm_config_noproxy)
  list(APPEND unset --unset=${name})
endforeach()

function(run_or_stop)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${unset} ${environment} ${ARGN}
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

# Proxies of the environment: npm and apt obey them on the machine, unless they have their own.
function(expect_proxies folder npmrc apt_conf)
  foreach(name IN ITEMS npmrc apt_conf)
    set(text "")
    if(EXISTS "${folder}/${name}")
      file(READ "${folder}/${name}" text)
    endif()
    string(REGEX MATCHALL "(^|\n)[^\n]*[Pp]roxy[^\n]*" lines "${text}")
    string(REGEX REPLACE ";?\n" " " lines ";${lines}")
    string(REPLACE ";" "" lines "${lines}")
    string(STRIP "${lines}" lines)
    if(NOT lines STREQUAL "${${name}}")
      message(FATAL_ERROR "${folder}/${name} has the proxies '${lines}', not '${${name}}':\n${text}")
    endif()
  endforeach()
endfunction()
set(own "${environment}")
set(proxies HTTP_PROXY=http://ann:word@h.example:1 https_proxy=http://s.example:2
  "NO_PROXY=localhost,.wild.example mirror.example")
set(environment "${own}" ${proxies})
run_or_stop(bash "${SOURCE}/docker/host_settings.sh" own_proxies)
set(apt_own "")
if(EXISTS /usr/bin/apt-config)
  set(apt_own "Acquire::http::Proxy \"http://proxy.example:3128\"")
  expect_proxies(own_proxies "https-proxy=http://npm-proxy.example proxy=http://ann:word@h.example:1 \
noproxy=localhost,.wild.example mirror.example" "${apt_own}")
endif()
file(WRITE machine/apt.conf "Acquire::Retries \"2\";\n")
list(FILTER own EXCLUDE REGEX "npm_config_https_proxy")
list(APPEND unset --unset=npm_config_https_proxy)
set(environment "${own}" ${proxies})
run_or_stop(bash "${SOURCE}/docker/host_settings.sh" proxies)
set(apt_hosts "")
foreach(host IN ITEMS localhost mirror.example)
  string(APPEND apt_hosts " Acquire::http::Proxy::${host} \"DIRECT\""
    " Acquire::https::Proxy::${host} \"DIRECT\"")
endforeach()
expect_proxies(proxies "proxy=http://ann:word@h.example:1 https-proxy=http://s.example:2 \
noproxy=localhost,.wild.example mirror.example" "Acquire::http::Proxy \"http://ann:word@h.example:1\" \
Acquire::https::Proxy \"http://s.example:2\"${apt_hosts}")
set(environment "${own}" http_proxy=http://h.example:1 HTTP_PROXY=http://upper.example)
run_or_stop(bash "${SOURCE}/docker/host_settings.sh" http_proxy)
expect_proxies(http_proxy "proxy=http://h.example:1 https-proxy=http://h.example:1"
  "Acquire::http::Proxy \"http://h.example:1\" Acquire::https::Proxy \"DIRECT\"")
set(environment "${own}")
run_or_stop(bash "${SOURCE}/docker/host_settings.sh" no_proxies)
expect_proxies(no_proxies "" "")
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
