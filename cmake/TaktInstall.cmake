# What `cmake --install` gives a stranger: the program, the public headers, and a CMake package with components, so that
# find_package(takt COMPONENTS physics) needs nothing that physics does not need. tests/package proves it from outside.
include(CMakePackageConfigHelpers)

set(TAKT_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/takt")
set(TAKT_COMPONENTS "")           # in dependency order
set(TAKT_COMPONENT_DEPENDENCIES "")  # lines of takt-config.cmake

# takt_install_component(<module> [NEEDS <component>...] [FINDS <package>...]): exports takt::<module>. Call it after what it needs.
# FINDS names external packages whose targets the library links.
function(takt_install_component name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "NEEDS;FINDS")
  if(NOT TARGET takt_${name})
    return()
  endif()
  install(TARGETS takt_${name} EXPORT takt_${name} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name})
  install(EXPORT takt_${name} FILE takt-${name}-targets.cmake NAMESPACE takt:: DESTINATION "${TAKT_PACKAGE_DIR}" COMPONENT ${name})
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/include/takt/${name}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/takt/${name}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/takt" COMPONENT ${name}
      FILES_MATCHING PATTERN "*.h")
  endif()
  set(TAKT_COMPONENTS ${TAKT_COMPONENTS} ${name} PARENT_SCOPE)
  string(APPEND TAKT_COMPONENT_DEPENDENCIES "set(takt_${name}_needs \"${ARG_NEEDS}\")\nset(takt_${name}_finds \"${ARG_FINDS}\")\n")
  set(TAKT_COMPONENT_DEPENDENCIES "${TAKT_COMPONENT_DEPENDENCIES}" PARENT_SCOPE)
endfunction()

takt_install_component(core)
takt_install_component(threads NEEDS core FINDS Threads)
takt_install_component(physics NEEDS core)
takt_install_component(schemas FINDS FlatBuffers)
takt_install_component(protocol NEEDS core schemas)
takt_install_component(sim NEEDS physics protocol)
takt_install_component(c)
takt_install_component(crypto NEEDS core FINDS Sodium)
takt_install_component(session NEEDS protocol crypto)
takt_install_component(net NEEDS session FINDS Threads)
takt_install_component(client NEEDS net sim)
takt_install_component(server NEEDS sim net FINDS Threads spdlog PrometheusCpp OpenSSL)
takt_install_component(replica NEEDS client)
takt_install_component(service_wire NEEDS core schemas)
takt_install_component(service_client NEEDS service_wire)
takt_install_component(service NEEDS sim threads service_client)
takt_install_component(cli NEEDS server client replica threads crypto service)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindPrometheusCpp.cmake" DESTINATION "${TAKT_PACKAGE_DIR}" COMPONENT server)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindSodium.cmake" DESTINATION "${TAKT_PACKAGE_DIR}" COMPONENT crypto)

if(TARGET takt_c)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/takt.pc.in" "${PROJECT_BINARY_DIR}/package/takt.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/takt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT c)
endif()
if(TARGET takt)
  install(TARGETS takt RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
  include(TaktManual)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/scenes" DESTINATION "${CMAKE_INSTALL_DATADIR}/takt" COMPONENT program FILES_MATCHING PATTERN "*.json")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/schemas" DESTINATION "${CMAKE_INSTALL_DATADIR}/takt" COMPONENT program
  FILES_MATCHING PATTERN "*.fbs" PATTERN "golden" EXCLUDE)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/takt-config.cmake.in" "${PROJECT_BINARY_DIR}/package/takt-config.cmake"
  INSTALL_DESTINATION "${TAKT_PACKAGE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/takt-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/takt-config.cmake" "${PROJECT_BINARY_DIR}/package/takt-config-version.cmake"
  DESTINATION "${TAKT_PACKAGE_DIR}" COMPONENT core)
