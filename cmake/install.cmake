# What is installed besides the libraries (api/CMakeLists.txt): headers, package files, the command line. All of it is
# found relative to itself, so the prefix can be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ptcvm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

set(doc_folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/ptcvm)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.txt DESTINATION ${doc_folder})

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ptcvm)
if(BUILD_SHARED_LIBS)
  set(PTC_SHARED_IS_CHOSEN TRUE)
else()
  set(PTC_SHARED_IS_CHOSEN FALSE)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ptcvmConfig.cmake.in ptcvmConfig.cmake
                              INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(ptcvmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ptcvmConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ptcvmConfigVersion.cmake
        DESTINATION ${cmake_folder})

file(RELATIVE_PATH PTC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PTC_PC_PREFIX ${PTC_PC_PREFIX})
function(ptc_pkg_config PTC_PC_NAME PTC_PC_DESCRIPTION PTC_PC_REQUIRES PTC_PC_REQUIRES_PRIVATE PTC_PC_LIBS
         PTC_PC_LIBS_PRIVATE)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/ptcvm.pc.in ${PTC_PC_NAME}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${PTC_PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(archives_need "re2 libutf8proc libsodium")
set(system "-lboost_json -lstdc++ -pthread")
ptc_pkg_config(ptcvm "Embeddable engine for PTC-Lisp" "" "${archives_need}" "-L\${libdir} -lptcvm" "${system}")
ptc_pkg_config(ptcvm-lean "ptcvm without its compiler" "${archives_need}" "" "-L\${libdir} -lptcvm-lean ${system}" "")
if(PTC_BUILD_SQLITE)
  # The shared library has this inside: only programs that link archives name it.
  ptc_pkg_config(ptcvm-sqlite "Stores of ptcvm in SQLite" "ptcvm" "sqlite3 zlib" "" "-L\${libdir} -lptcvm-sqlite")
  ptc_pkg_config(ptcvm-crash-kit "Kills runs of ptcvm and compares their logs with what happened" "ptcvm-sqlite" ""
                 "-L\${libdir} -lptcvm-crash-kit -lboost_json" "")
endif()
if(TARGET ptcvm_postgres)
  ptc_pkg_config(ptcvm-postgres "Stores of ptcvm in PostgreSQL, for static programs" "ptcvm" "libpq libsodium" ""
                 "-L\${libdir} -lptcvm-postgres")
endif()
if(TARGET ptcvm_otel)
  ptc_pkg_config(ptcvm-otel "Traces of ptcvm over HTTP" "ptcvm libcurl" "" "-L\${libdir} -lptcvm-otel -lboost_json" "")
endif()

# Man pages and completions are made by the command line that was just built.
if(PTC_BUILD_TOOLS)
  install(TARGETS ptcvm_cli)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(folders ${share}/bash-completion/completions ${share}/zsh/site-functions ${share}/fish/vendor_completions.d)
  find_program(GZIP gzip REQUIRED)
  add_custom_command(
    OUTPUT ${share}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folders}
    COMMAND ptcvm_cli man --into ${share}/man/man1
    COMMAND sh -c "${GZIP} -9n ${share}/man/man1/*.1"
    COMMAND ptcvm_cli completion bash > ${share}/bash-completion/completions/ptcvm
    COMMAND ptcvm_cli completion zsh > ${share}/zsh/site-functions/_ptcvm
    COMMAND ptcvm_cli completion fish > ${share}/fish/vendor_completions.d/ptcvm.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${share}/made
    DEPENDS ptcvm_cli VERBATIM)
  add_custom_target(ptcvm_share ALL DEPENDS ${share}/made)
  install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish DESTINATION ${CMAKE_INSTALL_DATADIR})
  # Debian's zsh looks here for what packages bring.
  install(FILES ${share}/zsh/site-functions/_ptcvm DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()

if(PROJECT_IS_TOP_LEVEL AND PTC_BUILD_TOOLS)
  include(${PROJECT_SOURCE_DIR}/cmake/package.cmake)
endif()
