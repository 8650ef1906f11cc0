# Bullet's rigid bodies (libbullet-dev), for the comparison in bench/ alone: bullet::dynamics. Its own BulletConfig.cmake names folders relative to /usr only.
find_path(BulletDynamics_INCLUDE_DIR btBulletDynamicsCommon.h PATH_SUFFIXES bullet)
foreach(part BulletDynamics BulletCollision LinearMath)
  find_library(BulletDynamics_${part}_LIBRARY ${part})
  mark_as_advanced(BulletDynamics_${part}_LIBRARY)
endforeach()
mark_as_advanced(BulletDynamics_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BulletDynamics REQUIRED_VARS
  BulletDynamics_INCLUDE_DIR BulletDynamics_BulletDynamics_LIBRARY BulletDynamics_BulletCollision_LIBRARY BulletDynamics_LinearMath_LIBRARY)
if(BulletDynamics_FOUND AND NOT TARGET bullet::dynamics)
  add_library(bullet::dynamics INTERFACE IMPORTED)
  target_include_directories(bullet::dynamics SYSTEM INTERFACE "${BulletDynamics_INCLUDE_DIR}")
  target_link_libraries(bullet::dynamics INTERFACE
    "${BulletDynamics_BulletDynamics_LIBRARY}" "${BulletDynamics_BulletCollision_LIBRARY}" "${BulletDynamics_LinearMath_LIBRARY}")
endif()
