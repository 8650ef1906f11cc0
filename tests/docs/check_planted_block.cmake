# A page with a C++ block that no mark names: extracting must refuse it.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/snippets.cmake")
set(page "${CMAKE_CURRENT_BINARY_DIR}/planted.md")
file(WRITE "${page}" "# Planted\n\n```cpp\nint a;\n```\n")
takt_extract_snippets(PAGE "${page}" OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/planted")
