# How a test program is declared. Labels are the kinds of STYLE.md 'Tests'; `ctest -L <label>` runs one kind.
include(GoogleTest)
# Targets without the programs of the tree: every takt_test, and every libFuzzer program.
foreach(target IN ITEMS takt_tests takt_fuzzers)
  if(NOT TARGET ${target})
    add_custom_target(${target})
  endif()
endforeach()
takt_precompiled(takt_test_headers
  HEADERS
    <gtest/gtest.h> <fstream> ${TAKT_STANDARD_HEADERS}
  DEPENDS GTest::gtest
  OPTIONS ${TAKT_OUTER_OPTIONS})
set(TAKT_TEST_LABELS unit physics property determinism simulation integration fuzz package browser)

# CTest starts tests of a large cost first. It measures costs, but a fresh build tree has no measurement. A
# long test of a late folder would start last there, and one core would wait for it. COST is the seconds of the
# longest case on a busy machine, for programs and scripts with cases of ten seconds and more; it stands before
# later measurements, too. A test that holds the lock of browsers has more.

# takt_test(<name> LABEL <label> SOURCES ... [DEPENDS ...] [TIMEOUT <seconds, default 300>] [COST <seconds>]
#   [ENVIRONMENT <NAME=value>...]): one GoogleTest program; each of its cases is a test of its own and carries
#   the label.
function(takt_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "LABEL;TIMEOUT;COST" "SOURCES;DEPENDS;ENVIRONMENT")
  if(NOT ARG_LABEL IN_LIST TAKT_TEST_LABELS)
    message(FATAL_ERROR "takt_test(${name}): LABEL '${ARG_LABEL}' is none of: ${TAKT_TEST_LABELS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  takt_program(${name} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS} GTest::gtest GTest::gtest_main PRECOMPILED takt_test_headers)
  takt_unity(${name})
  # GCC warns where it inlines a replaced operator new, so such a source stays alone.
  set(replaces_new tests/physics/allocation_count.cpp tests/determinism/garbage_heap.cpp tests/unit/c/c_memory_test.cpp
    tests/unit/service/service_memory_test.cpp)
  list(TRANSFORM replaces_new PREPEND "${PROJECT_SOURCE_DIR}/")
  set_source_files_properties(${replaces_new} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_dependencies(takt_tests ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  target_compile_options(${name} PRIVATE ${TAKT_OUTER_OPTIONS})
  target_compile_definitions(${name} PRIVATE TAKT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(properties LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_COST)
    list(APPEND properties COST ${ARG_COST})
  endif()
  if(ARG_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${ARG_ENVIRONMENT}")
  endif()
  gtest_discover_tests(${name} PROPERTIES ${properties} DISCOVERY_TIMEOUT 60)
endfunction()

# takt_script_test(<name> LABEL <label> SCRIPT <file.cmake> [TIMEOUT <seconds>] [COST <seconds>]
#   [DEFINITIONS <NAME=value>...]): a test that is a CMake script, run in a directory of its own.
function(takt_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "LABEL;SCRIPT;TIMEOUT;COST" "DEFINITIONS")
  if(NOT ARG_LABEL IN_LIST TAKT_TEST_LABELS)
    message(FATAL_ERROR "takt_script_test(${name}): LABEL '${ARG_LABEL}' is none of: ${TAKT_TEST_LABELS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(MAKE_DIRECTORY "${directory}")
  list(TRANSFORM ARG_DEFINITIONS PREPEND -D)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" ${ARG_DEFINITIONS} -P "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT}" WORKING_DIRECTORY "${directory}")
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_COST)
    set_tests_properties(${name} PROPERTIES COST ${ARG_COST})
  endif()
endfunction()

# takt_fuzz_target(<name> SOURCES ... [DEPENDS ...]): LLVMFuzzerTestOneInput in SOURCES, its corpus committed as tests/fuzz/corpus/<name>/.
# With TAKT_FUZZ a libFuzzer program bin/fuzz_<name>; otherwise a test that replays the corpus and some mutations of it.
function(takt_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;DEPENDS")
  if(TAKT_FUZZ)
    takt_program(fuzz_${name} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(takt_fuzzers fuzz_${name})
  endif()
  if(TAKT_TESTS)
    takt_program(replay_${name} SOURCES ${ARG_SOURCES} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus_replay.cpp" DEPENDS ${ARG_DEPENDS} takt::core)
    set_target_properties(replay_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/${name}")  # where a crash leaves its input
    file(MAKE_DIRECTORY "${directory}")
    add_test(NAME fuzz_${name} COMMAND replay_${name} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}" WORKING_DIRECTORY "${directory}")
    set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz TIMEOUT 120 COST 20)
  endif()
endfunction()
