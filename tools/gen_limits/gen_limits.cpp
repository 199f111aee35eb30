// Writes what is checked in and made from schema/limits.def.
//
//   gen_limits ROOT            writes the files of kPages below ROOT, the root of the tree
//   gen_limits --check ROOT    writes nothing; fails when a file is not what it would write
#include <cstdio>
#include <string>
#include <string_view>

#include "tools/gen_docs/made_files.h"
#include "tools/gen_limits/limit_pages.h"

namespace {

struct Page {
  std::string_view file;
  std::string (*text)(const std::string& before);   // what the file holds before -> what it must hold
};
constexpr Page kPages[] = {{"schema/limits.fbs", [](const std::string&) { return ptc::limits_fbs(); }},
                           {"include/ptcvm/limits.hpp", [](const std::string&) { return ptc::limits_cpp_header(); }},
                           {"include/ptcvm/limits.h", [](const std::string&) { return ptc::limits_c_header(); }},
                           {"docs/reference/limits.md", [](const std::string&) { return ptc::limits_reference(); }},
                           {"schema/snapshot.schema.json", ptc::with_limits_schema}};

}  // namespace

int main(int count, char** texts) {
  const bool check = count == 3 && std::string_view(texts[1]) == "--check";
  if (count != 2 && !check) {
    std::fputs("usage: gen_limits [--check] ROOT\n", stderr);
    return 2;
  }
  ptc::MadeFiles files(texts[count - 1], check, "build the target ptc_limits");
  for (const Page& page : kPages) files.make(page.file, page.text(files.content(page.file)));
  return files.good() ? 0 : 1;
}
