# npm ci in DIRECTORY with the program NPM: from npm's cache where that has everything, else from the network; says what to do when neither works.
# No install scripts of packages are run.
execute_process(COMMAND "${NPM}" ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
  WORKING_DIRECTORY "${DIRECTORY}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "npm ci in ${DIRECTORY} failed:\n${output}\nIt needs the network once, or an npm cache that has the packages of package-lock.json. "
    "npm takes another registry from 'npm config set registry URL', and certificates from 'npm config set cafile FILE' "
    "or NODE_EXTRA_CA_CERTS=FILE. ./dev image hands these settings to the build of the container. "
    "Configure with -DTAKT_JS=OFF to build without the SDK and the viewer.")
endif()
