#include "tools/ptcvm/source/missing_data.h"

#include "tools/ptcvm/source/check_report.h"

namespace ptcvm::cli {

bool tell_of_missing_data(const Session& session, std::string_view source, bool strict) {
  if (source.find("data/") == std::string_view::npos) return true;
  CheckedFile file;
  for (Finding& finding : session.check(source).findings) {
    if (finding.diagnostic.kind != kMissingData) continue;
    finding.is_error = strict;
    file.findings.push_back(std::move(finding));
  }
  show_findings(file);
  return !has_errors(file);
}

}  // namespace ptcvm::cli
