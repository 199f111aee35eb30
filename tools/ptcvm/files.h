// Whole files in and out; "-" is standard input or output.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Nothing when it cannot be read; `message` then says why.
std::optional<std::string> read_file(const std::string& path, std::string& message);
bool write_file(const std::string& path, std::string_view bytes, std::string& message);

}  // namespace ptcvm::cli
