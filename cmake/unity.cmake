# Sources of a target are compiled some at a time, as one: most of the time of a small file goes into its headers.
#
# Sources of vm/ are not joined in release builds, except for vm/builtins: each is compiled alone, so that the numbers
# of bench/ and their baselines do not depend on what lies together (with vm/snapshot as a few files, small snapshots
# take 4 to 8 % more instructions; builtins that are joined change no work of bench/guard by more than 1 %). Nothing is
# joined in the preset clang, which shows whether every file includes what it uses, nor for fuzzing and coverage, which
# want each file's own lines.
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

# Joins the sources of the named folders, a unit for each list: ptc_join_folders(TARGET "FOLDER FOLDER …" …).
# A source of another folder stops the configuration.
function(ptc_join_folders target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    set(unit "")
    foreach(folders IN LISTS ARGN)
      if(" ${folders} " MATCHES " ${folder} ")
        string(REPLACE " " "_" unit "${folders}")
      endif()
    endforeach()
    if(unit STREQUAL "")
      message(FATAL_ERROR "${source}: no unit of ${target} has its folder; see ptc_join_folders()")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
endfunction()
