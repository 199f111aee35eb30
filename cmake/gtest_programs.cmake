# The cases of a program of GoogleTest as tests. Each is one of its own, but with sanitizers: there a process takes
# 0.2 s to start and end, more than most cases, so that a program runs in some shares, at the same time.
#
#   ptc_test_cases(TARGET SHARES PROPERTY VALUE …)
include(GoogleTest)
function(ptc_test_cases target shares)
  if(NOT PTC_SANITIZE AND NOT PTC_SANITIZE_THREAD)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES ${ARGN})
    return()
  endif()
  foreach(share RANGE 1 ${shares})
    math(EXPR index "${share} - 1")
    add_test(NAME ${target}_${share} COMMAND ${target})
    set_tests_properties(${target}_${share} PROPERTIES ${ARGN}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=${shares};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
