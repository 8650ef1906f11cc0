# The manual pages and completion scripts of takt, made at build time from its own options, and their install rule.
set(TAKT_MANUAL_DIR "${PROJECT_BINARY_DIR}/manual")
set(TAKT_MANUAL_STAMP "${PROJECT_BINARY_DIR}/manual.stamp")
add_custom_command(
  OUTPUT "${TAKT_MANUAL_STAMP}"
  COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:takt>" "-DDIRECTORY=${TAKT_MANUAL_DIR}"
    -P "${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake"
  COMMAND "${CMAKE_COMMAND}" -E touch "${TAKT_MANUAL_STAMP}"
  DEPENDS takt "${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake"
  COMMENT "Writing takt's manual pages and completion scripts"
  VERBATIM)
add_custom_target(takt_manual ALL DEPENDS "${TAKT_MANUAL_STAMP}")
install(DIRECTORY "${TAKT_MANUAL_DIR}/" DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT program)
