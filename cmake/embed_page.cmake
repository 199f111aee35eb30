# Writes the files of a page into a header, for a program that carries its page inside:
#   cmake -DFILES="a.html;b.js" -DINTO=page_files.h -DTABLE=kPageFiles -P embed_page.cmake
# The bytes are written as numbers, so nothing in a file can end a literal.
set(types ".html" "text/html; charset=utf-8" ".js" "text/javascript; charset=utf-8" ".css" "text/css; charset=utf-8")
set(arrays "")
set(rows "")
set(count 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  get_filename_component(extension ${file} LAST_EXT)
  list(FIND types ${extension} at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${file}: embed_page.cmake has no type for ${extension}")
  endif()
  math(EXPR at "${at} + 1")
  list(GET types ${at} type)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
         bytes "${bytes}")
  string(APPEND arrays "inline constexpr unsigned char kPageBytes${count}[] = {\n${bytes}};\n")
  string(APPEND rows "    {\"${name}\", \"${type}\", kPageBytes${count}, sizeof kPageBytes${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${INTO} "// Made by cmake/embed_page.cmake.
#pragma once
#include <cstddef>
#include <string_view>

namespace ptcvm::cli {

struct PageFile {
  std::string_view name, type;
  const unsigned char* bytes;
  std::size_t size;
};
${arrays}inline constexpr PageFile ${TABLE}[] = {
${rows}};

}  // namespace ptcvm::cli
")
