# Makes a virtual environment at DIRECTORY for PYTHON, with the packages of REQUIREMENTS beside those of PYTHON.
# It does nothing when DIRECTORY has them.
file(READ "${REQUIREMENTS}" wanted)
set(installed "")
if(EXISTS "${DIRECTORY}/requirements.txt")
  file(READ "${DIRECTORY}/requirements.txt" installed)
endif()
if(installed STREQUAL wanted)
  return()
endif()
execute_process(COMMAND "${PYTHON}" -m venv --clear --system-site-packages "${DIRECTORY}"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
  execute_process(COMMAND "${DIRECTORY}/bin/python" -m pip install --quiet --no-deps --only-binary :all: -r "${REQUIREMENTS}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The packages of ${REQUIREMENTS} are not installed:\n${output}\nIt needs the network once, and python3-venv: run ./dev setup test. "
    "pip takes another index from PIP_INDEX_URL and certificates from PIP_CERT. "
    "Configure with -DTAKT_GYM_TESTS=OFF to leave out the tests that need them.")
endif()
file(COPY_FILE "${REQUIREMENTS}" "${DIRECTORY}/requirements.txt")
