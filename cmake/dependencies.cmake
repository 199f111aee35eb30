# Every library the project uses, in one place. Debian names: tools/packages.txt.
find_package(Boost 1.79 REQUIRED)                    # headers: Multiprecision, Unordered, Container
find_package(Boost 1.79 REQUIRED COMPONENTS json)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
find_package(SQLite3 REQUIRED)
find_package(Flatbuffers CONFIG QUIET)
if(NOT Flatbuffers_FOUND)
  find_package(FlatBuffers CONFIG REQUIRED)
endif()
find_program(FLATC flatc REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(GTest)
find_package(benchmark CONFIG QUIET)
find_package(CURL 7.85 QUIET)                          # api/otel alone needs it
find_library(EDIT_LIBRARY edit)
