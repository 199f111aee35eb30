# Writes files of SQL, or of other text, into a header as string literals, one constant for each:
#   cmake -DFILES="a.sql;b.sql" -DINTO=postgres_sql_generated.h -P embed_sql.cmake
# A file a_b.sql becomes the constant k_a_b in the namespace ptc, or in -DNAMESPACE.
set(constants "")
if(NOT NAMESPACE)
  set(NAMESPACE ptc)
endif()
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND constants "inline constexpr char k_${name}[] = R\"ptcvm_sql(${text})ptcvm_sql\";\n")
endforeach()
file(WRITE ${INTO} "// Made by cmake/embed_sql.cmake.
#pragma once

namespace ${NAMESPACE} {
${constants}
}  // namespace ${NAMESPACE}
")
