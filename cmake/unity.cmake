# Sources of a target are compiled some at a time, as one: most of the time of a small file goes into its headers.
#
# Sources of vm/ are not joined in release builds: each is compiled alone, so that the numbers of bench/ and their
# baselines do not depend on what lies together (with vm/snapshot as a few files, small snapshots take 4 to 8 % more
# instructions). And not in the preset clang, which shows whether every file includes what it uses, or for fuzzing and
# coverage, which want each file's own lines.
option(PTC_UNITY "Compile several sources as one" ON)
if(PTC_UNITY AND NOT PTC_FUZZ)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
  # GCC takes every file but the first for a header, in which such members would be a mistake.
  target_compile_options(ptc_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

function(ptc_compile_apart)   # TARGET…
  set_target_properties(${ARGV} PROPERTIES UNITY_BUILD OFF)
endfunction()

# Joins sources of the same folder only: a new file changes what is joined in its own folder and nowhere else.
function(ptc_join_by_folder target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(last "")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder STREQUAL last)
      set(last ${folder})
      set(count 0)
    endif()
    math(EXPR part "${count} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
endfunction()
