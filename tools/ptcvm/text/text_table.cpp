#include "tools/ptcvm/text/text_table.h"

#include <algorithm>
#include <string_view>

#include "agents/chain/text/terminal_harm.h"

namespace ptcvm::cli {
namespace {

// Code points: good enough for alignment.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

}  // namespace

std::string one_line(std::string text) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const bool ends_line = rest[0] == '\n' || rest[0] == '\t';
    const std::size_t harm = chain::terminal_harm(rest);
    out += ends_line || harm != 0 ? ' ' : rest[0];
    rest.remove_prefix(std::max<std::size_t>(harm, 1));
  }
  return out;
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += one_line(row[k]);
      if (k + 1 < row.size()) line.append(widths[k] - width_of(row[k]) + 2, ' ');
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string cut_text(const std::string& text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  return text.substr(0, end) + "…";
}

}  // namespace ptcvm::cli
