// Whole files in and out; "-" is standard input or output.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns the content, or nullopt and why the file cannot be read. A file of more than `most_bytes` is read no further
// than that: the message says memory_exceeded.
std::optional<std::string> read_file(const std::string& path, std::string& message,
                                     std::uint64_t most_bytes = UINT64_MAX);
// Returns the beginning of a file: `goes_on` gets all that was read so far after each block, and false ends it.
// Returns nullopt and why when the file cannot be read.
std::optional<std::string> read_while(const std::string& path, std::string& message,
                                      const std::function<bool(std::string_view so_far)>& goes_on);
bool write_file(const std::string& path, std::string_view bytes, std::string& message);

}  // namespace ptcvm::cli
