// Files that are read whole, up to a bound.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// What a file may have that is read whole, and what messages call such a file.
struct FileBound {
  std::size_t most_bytes = std::size_t{1} << 30;
  std::string_view what = "a file that is read whole";
};
inline constexpr FileBound kValueFile{std::size_t{256} << 20, "a file with a value"};
inline constexpr FileBound kPlanFile{std::size_t{16} << 20, "a plan"};

// Returns the content, or nullopt and why the file cannot be read. A longer file is read no further than its bound: the
// message says what it may have.
std::optional<std::string> read_file(const std::string& path, std::string& message, const FileBound& bound);

struct BoundedText {
  std::string bytes;
  bool is_longer = false;   // than its bound: the rest was not read
};
// Reads no further than the bound that `most_of` gives for what was read so far.
std::optional<BoundedText> read_bounded(const std::string& path, std::string& message,
                                        const std::function<std::uint64_t(std::string_view so_far)>& most_of);

}  // namespace ptcvm::cli
