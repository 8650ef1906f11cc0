# docker/check_layers.sh finds a planted secret in each layout of a saved image, and fails where it can search
# nothing. The file after the secret is larger than a pipe: a reader that ends at the first match would end
# the writer too. SOURCE: the tree.
file(REMOVE_RECURSE layers)
file(MAKE_DIRECTORY layers/work)
string(REPEAT "a line without a secret\n" 100000 ballast)
set(token "//registry.example/npm/:_authToken=token-of-a-person")
set(proxy "http://ann:secret-of-ann@proxy.example:3128")
file(WRITE layers/settings/npmrc "registry=https://registry.example/npm/\n${token}\n")
file(WRITE layers/settings/apt_auth "machine mirror.example login me password secret\n")
file(WRITE layers/settings/apt_conf "Acquire::http::Proxy \"${proxy}\";\nAcquire::Retries \"3\";\n")
file(WRITE layers/short/npmrc "a=b\n")

# An archive of one layer with this content at `layer`, as the manifest names it, or without the manifest's
# layers if `layers` is empty.
function(write_image name layer layers content config)
  set(folder "layers/${name}")
  file(WRITE "${folder}/files/etc/first" "${content}\n")
  file(WRITE "${folder}/files/etc/second" "${ballast}")
  get_filename_component(parent "${folder}/image/${layer}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(WRITE "${folder}/image/config.json" "{\"Env\":[\"A=${config}\"]}")
  file(WRITE "${folder}/image/manifest.json" "[{\"Config\":\"config.json\",\"Layers\":[${layers}]}]")
  execute_process(COMMAND tar --create ${ARGN} --file "${folder}/image/${layer}" --directory "${folder}/files"
    etc/first etc/second COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND tar --create --file "layers/${name}.tar" --directory "${folder}/image" .
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(expect_check image settings code words)
  execute_process(COMMAND bash "${SOURCE}/docker/check_layers.sh" "layers/${image}.tar" "layers/${settings}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL code OR NOT error MATCHES "${words}")
    message(FATAL_ERROR "${image}: exit code ${result}, not ${code} with '${words}':\n${output}${error}")
  endif()
endfunction()

# Docker 25 and later; earlier ones; buildah.
set(layouts blobs/sha256/0123456789abcdef 0123456789abcdef/layer.tar 0123456789abcdef.tar)
set(secrets "${token}" "proxy = ${proxy}/" "machine mirror.example login me password secret")
set(number 0)
foreach(layout IN LISTS layouts)
  math(EXPR number "${number} + 1")
  write_image("clean${number}" "${layout}" "\"${layout}\"" "registry.example" none)
  expect_check("clean${number}" settings 0 "layers: 1 searched for [1-9]")
  foreach(secret IN LISTS secrets)
    string(MD5 name "${layout} ${secret}")
    write_image("${name}" "${layout}" "\"${layout}\"" "${secret}" none)
    expect_check("${name}" settings 1 "layer ${layout} contains a setting")
  endforeach()
endforeach()
write_image(compressed blobs/sha256/01 "\"blobs/sha256/01\"" "${token}" none --gzip)
expect_check(compressed settings 1 "contains a setting")
write_image(configured blobs/sha256/01 "\"blobs/sha256/01\"" nothing "${proxy}")
expect_check(configured settings 1 "configuration config.json contains a setting")
write_image(second 02.tar "\"01.tar\", \"02.tar\"" "${token}" none)
expect_check(second settings 1 "lacks its layer 01.tar")
write_image(none 01.tar "" "${token}" none)
expect_check(none settings 1 "names no layer")
write_image(damaged 01.tar "\"config.json\"" "${token}" none)
expect_check(damaged settings 1 "layer config.json of .* cannot be read")
file(WRITE layers/bare/readme "no image\n")
execute_process(COMMAND tar --create --file layers/bare.tar --directory layers/bare readme
  COMMAND_ERROR_IS_FATAL ANY)
expect_check(bare settings 1 "no manifest.json")
expect_check(clean1 short 0 "no secret to search")
