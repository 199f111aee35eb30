# Large headers, compiled once for all targets that name the same group:
#
#   core    the standard library, for the engine's own sources. Not in release builds, which find out whether every
#           file includes what it uses.
#   cli     CLI11 and the standard library
#   tests   GoogleTest and the standard library
#
# Not for fuzzing, where builds come with flags of their own.
option(PTC_PRECOMPILE "Compile large headers once" ON)
if(PTC_FUZZ)
  set(PTC_PRECOMPILE OFF)
endif()
if(PTC_PRECOMPILE)
  target_compile_options(ptc_flags INTERFACE -pthread)   # it defines a macro, and those must be the same everywhere
endif()
set(PTC_HEADERS_core <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
                     <unordered_map> <variant> <vector>)
set(PTC_HEADERS_cli <CLI/CLI.hpp> ${PTC_HEADERS_core})
set(PTC_HEADERS_tests <gtest/gtest.h> ${PTC_HEADERS_core})

function(ptc_precompile group target)
  if(NOT PTC_PRECOMPILE OR (group STREQUAL core AND CMAKE_BUILD_TYPE STREQUAL Release))
    return()
  endif()
  if(NOT TARGET ptc_headers_${group})
    set(source ${PROJECT_BINARY_DIR}/precompiled/${group}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(ptc_headers_${group} OBJECT ${source})
    target_link_libraries(ptc_headers_${group} PRIVATE ptc_flags)
    if(group STREQUAL cli AND TARGET CLI11::CLI11)
      target_link_libraries(ptc_headers_cli PRIVATE CLI11::CLI11)
    endif()
    if(group STREQUAL tests)   # programs, which are compiled with -fPIE
      target_link_libraries(ptc_headers_tests PRIVATE GTest::gtest_main)   # for the macros that it defines
      set_target_properties(ptc_headers_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(ptc_headers_tests PRIVATE -fPIE)
    endif()
    target_precompile_headers(ptc_headers_${group} PRIVATE ${PTC_HEADERS_${group}})
  endif()
  target_compile_options(${target} PRIVATE -pthread)   # which not every one has from ptc_flags
  target_precompile_headers(${target} REUSE_FROM ptc_headers_${group})
endfunction()
