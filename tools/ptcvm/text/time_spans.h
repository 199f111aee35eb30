// Spans and moments of time as options write them.
#pragma once
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Reads "250ms", "15s", "5m", "2h", "30d", or "0". Returns nullopt for anything else, such as a number without a unit,
// and for more than ten years.
std::optional<std::chrono::milliseconds> read_span(std::string_view text);
// Reads "2026-12-01T08:00:00Z", a date, or a number of milliseconds since 1970. Returns these milliseconds.
std::optional<std::int64_t> read_moment(std::string_view text);

// Declare an option that takes such a text.
CLI::Option* add_span(CLI::App& command, const std::string& name, std::chrono::milliseconds& span,
                      const std::string& help);
CLI::Option* add_moment(CLI::App& command, const std::string& name, std::int64_t& moment, const std::string& help);

}  // namespace ptcvm::cli
