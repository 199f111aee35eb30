// Spans that are posted to a collector.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

struct PostOptions {
  std::string endpoint;                  // "": nothing is posted
  std::vector<std::string> headers;      // K=V
  std::string service_name = "ptcvm";
  std::uint32_t timeout_ms = 10'000;
};

void declare_post_options(CLI::App& command, PostOptions& options);
// Returns the exit status.
int post_spans(std::string_view otlp_json, const PostOptions& options);

}  // namespace ptcvm::cli
