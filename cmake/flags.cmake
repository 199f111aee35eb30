# Compiler flags that every target of the project shares.
add_library(ptc_flags INTERFACE)
target_include_directories(ptc_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ptc_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(PTC_WERROR)
  target_compile_options(ptc_flags INTERFACE -Werror)
endif()
if(PTC_SANITIZE)
  target_compile_options(ptc_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  if(PTC_SANITIZE_MESSAGES OR PTC_FUZZ)
    target_compile_options(ptc_flags INTERFACE -fno-sanitize-recover=undefined)
  else()
    # Undefined behaviour ends the program with SIGILL, and AddressSanitizer writes the stack. The texts and places of
    # all checks would be 120 MB of data, which each process of a test gets ready when it starts.
    target_compile_options(ptc_flags INTERFACE -fsanitize-undefined-trap-on-error)
  endif()
  target_link_options(ptc_flags INTERFACE -fsanitize=address,undefined)
  if(NOT PTC_FUZZ)
    # The sanitizers' tables have millions of pointers. A program that may lie anywhere moves each of them when it
    # starts, which is a third of the time of a test that runs one short command.
    target_link_options(ptc_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    # Nearly a hundred programs are linked, each with all of the library: the usual linker takes ten times as long.
    find_program(PTC_MOLD mold DOC "A fast linker, for builds with sanitizers")
    if(PTC_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_link_options(ptc_flags INTERFACE -fuse-ld=mold)
    endif()
  endif()
  target_compile_definitions(ptc_flags INTERFACE PTC_SANITIZED=1)
endif()
if(PTC_SANITIZE_THREAD)
  target_compile_options(ptc_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(ptc_flags INTERFACE -fsanitize=thread)
  target_compile_definitions(ptc_flags INTERFACE PTC_SANITIZED=1)
endif()
if(PTC_ALWAYS_COPY)
  target_compile_definitions(ptc_flags INTERFACE PTC_ALWAYS_COPY=1)
endif()
# PTC_FUZZ_ENGINE: a library to link instead of Clang's own; the caller gives the compiler flags for it, too.
set(PTC_FUZZ_ENGINE "" CACHE STRING "Fuzzing engine to link, e.g. what OSS-Fuzz calls LIB_FUZZING_ENGINE")
if(PTC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "PTC_FUZZ needs Clang, or a compiler around it such as afl-clang-fast++")
  endif()
  target_compile_definitions(ptc_flags INTERFACE _GLIBCXX_ASSERTIONS)
  if(NOT PTC_FUZZ_ENGINE)
    # Telling the engine about every comparison, also in the sanitizers' own checks, takes a third of the
    # time; the words and numbers that are worth comparing with are in the dictionaries and mutators instead.
    target_compile_options(ptc_flags INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
    target_link_options(ptc_flags INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endif()
if(PTC_DISPATCH STREQUAL "switch" OR PTC_SANITIZE OR PTC_SANITIZE_THREAD)
  target_compile_definitions(ptc_flags INTERFACE PTC_DISPATCH_SWITCH=1)
endif()

# Tests and tools are compiled once and run for seconds: with sanitizers, optimising them takes longer than it saves.
# What tests consist of is not optimised in any build: it calls the engine, which is. A release build gets ready in
# half of the time for it.
function(ptc_compile_quickly)
  if((PTC_SANITIZE OR PTC_SANITIZE_THREAD) AND NOT PTC_FUZZ)
    add_compile_options(-O0)
  endif()
endfunction()
function(ptc_compile_tests_quickly)
  if(NOT PTC_FUZZ)
    add_compile_options(-O0)
  endif()
endfunction()

# For programs of tests that measure time, or compute for long by themselves.
function(ptc_optimise)   # TARGET…
  foreach(target IN LISTS ARGV)
    if(NOT PTC_SANITIZE AND NOT PTC_SANITIZE_THREAD)
      target_compile_options(${target} PRIVATE -O2)
    endif()
  endforeach()
endfunction()
