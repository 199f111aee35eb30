# The Debian package: tools/package builds it, tools/check-package tries it in a bare system.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ptcvm)
set(CPACK_PACKAGE_CONTACT "ptcvm <ptcvm@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Engine for PTC-Lisp: command line, C and C++ libraries")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)       # from what command line and shared library are linked with
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and the trigger by which the loader learns of the library
# What the command line loads later: models, traces and PostgreSQL need it.
get_property(late_packages GLOBAL PROPERTY PTC_LATE_PACKAGES)
list(REMOVE_DUPLICATES late_packages)
list(JOIN late_packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
# What compiling and linking against the package needs. The command line runs without.
string(CONCAT CPACK_DEBIAN_PACKAGE_RECOMMENDS "libboost-json${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev, "
       "libre2-dev, libutf8proc-dev, libsodium-dev, libsqlite3-dev, zlib1g-dev, pkg-config | pkgconf")
if(TARGET ptcvm_otel)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libcurl4-openssl-dev | libcurl-dev")
endif()
# Debian wants this file in every package, and programs read it: tools/sbom of others.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian_copyright.txt DESTINATION ${doc_folder} RENAME copyright)
include(CPack)

get_property(libraries GLOBAL PROPERTY PTC_PUBLIC_LIBRARIES)
add_custom_target(ptcvm_package COMMAND ${CMAKE_CPACK_COMMAND} -B ${PROJECT_BINARY_DIR}/package VERBATIM)
add_dependencies(ptcvm_package ${libraries} ptcvm_share)
