#include "tools/ptcvm/source/signature_text.h"

#include <algorithm>
#include <iostream>

#include "ptcvm/diagnostic.hpp"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {

std::optional<Signature> read_signature_option(const std::string& name, const std::string& text) {
  auto parsed = Signature::parse(text);
  if (parsed) return std::move(*parsed);
  const Diagnostic error = *parsed.error().diagnostic;
  complain(name + ", column " + std::to_string(error.column) + ": " + error.message);
  const std::size_t offset = std::min<std::size_t>(error.column - 1, text.size());
  const auto lines_before = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  Diagnostic place;
  place.begin = place.end = static_cast<std::uint32_t>(offset);
  place.line = 1 + static_cast<std::uint32_t>(lines_before);
  place.column = error.column;
  std::cerr << source_excerpt(place, text);
  return std::nullopt;
}

}  // namespace ptcvm::cli
