# The scenes of examples/scenes, written once and read by tests and benchmarks. A cross build has no JSON parser, so there the build machine's flatc
# turns them into their binary form first; the loader takes both, and both give the same world.
file(GLOB TAKT_SCENES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/scenes/*.json")

if(TARGET flatbuffers::flatbuffers)
  set(TAKT_SCENE_DIRECTORY "${PROJECT_SOURCE_DIR}/examples/scenes")
  set(TAKT_SCENE_EXTENSION ".json")
  add_custom_target(takt_scenes)
else()
  set(TAKT_SCENE_DIRECTORY "${PROJECT_BINARY_DIR}/scenes")
  set(TAKT_SCENE_EXTENSION ".tksc")
  set(binaries "")
  foreach(scene IN LISTS TAKT_SCENES)
    cmake_path(GET scene STEM name)
    add_custom_command(OUTPUT "${TAKT_SCENE_DIRECTORY}/${name}.tksc"
      COMMAND "${TAKT_FLATC}" -b -o "${TAKT_SCENE_DIRECTORY}" "${PROJECT_SOURCE_DIR}/schemas/scene.fbs" "${scene}"
      DEPENDS "${scene}" "${PROJECT_SOURCE_DIR}/schemas/scene.fbs" VERBATIM)
    list(APPEND binaries "${TAKT_SCENE_DIRECTORY}/${name}.tksc")
  endforeach()
  add_custom_target(takt_scenes DEPENDS ${binaries})
endif()

# takt::scene_files: tests/scene_file.h, which names and loads them.
add_library(takt_scene_files STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/scene_file.cpp")
add_library(takt::scene_files ALIAS takt_scene_files)
set_target_properties(takt_scene_files PROPERTIES CXX_EXTENSIONS OFF)
target_include_directories(takt_scene_files PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(takt_scene_files PRIVATE
  TAKT_SCENE_DIRECTORY="${TAKT_SCENE_DIRECTORY}" TAKT_SCENE_EXTENSION="${TAKT_SCENE_EXTENSION}")
target_link_libraries(takt_scene_files PUBLIC takt::sim PRIVATE takt_warnings takt_determinism)
add_dependencies(takt_scene_files takt_scenes)

# takt::trials: tests/physics/trials.h, the scenes of the acceptance table, and trial_run.h, which judges them; for tests and benchmarks.
add_library(takt_trials STATIC EXCLUDE_FROM_ALL
  "${PROJECT_SOURCE_DIR}/tests/physics/trial_crowds.cpp"
  "${PROJECT_SOURCE_DIR}/tests/physics/trial_joints.cpp"
  "${PROJECT_SOURCE_DIR}/tests/physics/trial_run.cpp"
  "${PROJECT_SOURCE_DIR}/tests/physics/trials.cpp")
add_library(takt::trials ALIAS takt_trials)
set_target_properties(takt_trials PROPERTIES CXX_EXTENSIONS OFF)
target_include_directories(takt_trials PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(takt_trials PUBLIC takt::sim PRIVATE takt_warnings takt_determinism)

# takt::scene_rules: tests/random_scenes/scene_rules.h, which measures what every random scene must keep; for tests and random_scenes.
add_library(takt_scene_rules STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/random_scenes/scene_rules.cpp")
add_library(takt::scene_rules ALIAS takt_scene_rules)
set_target_properties(takt_scene_rules PROPERTIES CXX_EXTENSIONS OFF)
target_include_directories(takt_scene_rules PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(takt_scene_rules PUBLIC takt::trials PRIVATE takt_build_mode takt_warnings takt_determinism)
