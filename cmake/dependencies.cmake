# Every library the project uses, in one place. Debian names: tools/packages.txt.
# What an installed library needs is looked for again in cmake/ptcvmConfig.cmake.in.
find_package(Boost 1.79 REQUIRED)                    # headers: Multiprecision, Unordered, Container
find_package(Boost 1.79 REQUIRED COMPONENTS json)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
find_package(Flatbuffers CONFIG QUIET)
if(NOT Flatbuffers_FOUND)
  find_package(FlatBuffers CONFIG REQUIRED)
endif()
find_program(FLATC flatc REQUIRED)
if(PTC_BUILD_SQLITE)
  find_package(SQLite3 REQUIRED)
  find_package(ZLIB REQUIRED)                        # packs large facts
endif()
if(PTC_BUILD_POSTGRES)
  pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)     # without it, there are no stores in PostgreSQL
endif()
if(PTC_BUILD_TOOLS)
  find_package(CLI11 CONFIG REQUIRED)
  find_library(EDIT_LIBRARY edit)
  find_package(date 3.0 CONFIG QUIET)                 # time zones of schedules; without it, there are no schedules
endif()
if(PTC_BUILD_TESTS)
  find_package(GTest)
endif()
if(PTC_BUILD_BENCH)
  find_package(benchmark CONFIG QUIET)
endif()
find_package(CURL 7.85 QUIET)                        # api/otel and drivers/curl alone need it
