#include "tools/ptcvm/process/bounded_file.h"

#include <utility>

#include "tools/ptcvm/process/files.h"

namespace ptcvm::cli {

std::optional<BoundedText> read_bounded(const std::string& path, std::string& message,
                                        const std::function<std::uint64_t(std::string_view so_far)>& most_of) {
  auto bytes = read_while(path, message,
                          [&most_of](std::string_view so_far) { return so_far.size() <= most_of(so_far); });
  if (!bytes) return std::nullopt;
  const bool is_longer = bytes->size() > most_of(*bytes);
  return BoundedText{*std::move(bytes), is_longer};
}

std::optional<std::string> read_file(const std::string& path, std::string& message, const FileBound& bound) {
  auto text = read_bounded(path, message, [&bound](std::string_view) { return bound.most_bytes; });
  if (!text) return std::nullopt;
  if (!text->is_longer) return std::move(text->bytes);
  message = (path == "-" ? "standard input" : path) + ": " + std::string(bound.what) + " has at most " +
            std::to_string(bound.most_bytes) + " bytes";
  return std::nullopt;
}

}  // namespace ptcvm::cli
