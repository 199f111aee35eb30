// What `ptcvm check` found, as text for people, as JSON, and as SARIF for editors and forges.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/check.hpp"

namespace ptcvm::cli {

struct CheckedFile {
  std::string name;                  // as messages show it
  std::vector<Finding> findings;     // in the order of the text
};

inline constexpr std::string_view kMissingData = "missing_data";     // the kind of findings about data/…

bool has_errors(const CheckedFile& file);
// Writes the findings to standard error, in colour on a terminal.
void show_findings(const CheckedFile& file);
// Returns {"files": [{"file", "ok", "findings": [{"severity", "kind", "message", "hint", "line", …}]}]}.
std::string findings_json(const std::vector<CheckedFile>& files);
// Returns a log of SARIF 2.1.0 with one run.
std::string findings_sarif(const std::vector<CheckedFile>& files);

}  // namespace ptcvm::cli
