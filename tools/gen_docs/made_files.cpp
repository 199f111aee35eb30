#include "tools/gen_docs/made_files.h"

#include <cstdio>
#include <fstream>
#include <iterator>

namespace ptc {

std::string MadeFiles::content(std::string_view file) const {
  std::ifstream in(path(file), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void MadeFiles::make(std::string_view file, const std::string& text) {
  if (content(file) == text) return;
  if (checks_) {
    good_ = false;
    std::fprintf(stderr, "%s is stale: %s\n", path(file).c_str(), hint_.c_str());
    return;
  }
  std::ofstream out(path(file), std::ios::binary);
  out << text;
  if (!text.empty() && out.flush()) return;
  good_ = false;
  std::fprintf(stderr, "cannot write %s\n", path(file).c_str());
}

}  // namespace ptc
