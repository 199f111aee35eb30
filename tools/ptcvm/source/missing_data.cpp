#include "tools/ptcvm/source/missing_data.h"

#include <algorithm>

#include "tools/ptcvm/source/check_report.h"

namespace ptcvm::cli {

std::vector<Finding> missing_data(const Session& session, std::string_view source) {
  if (source.find("data/") == std::string_view::npos) return {};
  std::vector<Finding> findings = session.check(source).findings;
  const auto is_incomplete = [](const Finding& finding) { return finding.diagnostic.is_incomplete; };
  if (std::ranges::any_of(findings, is_incomplete)) return {};
  std::erase_if(findings, [](const Finding& finding) { return finding.diagnostic.kind != kMissingData; });
  return findings;
}

bool tell_of_missing_data(const Session& session, std::string_view source, bool strict) {
  CheckedFile file;
  file.findings = missing_data(session, source);
  for (Finding& finding : file.findings) finding.is_error = strict;
  show_findings(file);
  return !has_errors(file);
}

std::optional<Diagnostic> refused_data(const Session& session, std::string_view source, bool strict) {
  CheckedFile file;
  file.findings = missing_data(session, source);
  if (strict && !file.findings.empty()) return std::move(file.findings.front().diagnostic);
  show_findings(file);
  return std::nullopt;
}

}  // namespace ptcvm::cli
