# Writes files of SQL into a header as string literals, one constant for each:
#   cmake -DFILES="a.sql;b.sql" -DINTO=postgres_sql_generated.h -P embed_sql.cmake
# A file a_b.sql becomes the constant k_a_b.
set(constants "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND constants "inline constexpr char k_${name}[] = R\"ptcvm_sql(${text})ptcvm_sql\";\n")
endforeach()
file(WRITE ${INTO} "// Made by cmake/embed_sql.cmake.
#pragma once

namespace ptc {
${constants}
}  // namespace ptc
")
