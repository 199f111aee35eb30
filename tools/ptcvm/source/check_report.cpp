#include "tools/ptcvm/source/check_report.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <set>

#include "ptcvm/reference.hpp"
#include "schema/version.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

const char* severity_of(const Finding& finding) { return finding.is_error ? "error" : "warning"; }

json::object finding_json(const Finding& finding) {
  const Diagnostic& d = finding.diagnostic;
  return {{"severity", severity_of(finding)}, {"kind", d.kind},     {"message", d.message}, {"hint", d.hint},
          {"line", d.line},                   {"column", d.column}, {"begin", d.begin},     {"end", d.end}};
}

json::object sarif_result(const std::string& file, const Finding& finding) {
  const Diagnostic& d = finding.diagnostic;
  const std::string text = d.message + (d.hint.empty() ? "" : ". " + d.hint);
  json::object region{{"startLine", std::max(d.line, 1u)}, {"startColumn", std::max(d.column, 1u)},
                      {"byteOffset", d.begin}, {"byteLength", d.end - d.begin}};
  json::object place{{"artifactLocation", json::object{{"uri", file}}}, {"region", std::move(region)}};
  return {{"ruleId", d.kind},
          {"level", severity_of(finding)},
          {"message", json::object{{"text", text}}},
          {"locations", json::array{json::object{{"physicalLocation", std::move(place)}}}}};
}

// Returns the rules that the findings break, each once.
json::array sarif_rules(const std::vector<CheckedFile>& files) {
  std::set<std::string> kinds;
  for (const CheckedFile& file : files) {
    for (const Finding& finding : file.findings) kinds.insert(finding.diagnostic.kind);
  }
  json::array rules;
  for (const std::string& kind : kinds) {
    json::object rule{{"id", kind}};
    const auto known = std::ranges::find(explanations(), kind, &Explanation::name);
    if (known != explanations().end()) {
      rule["shortDescription"] = json::object{{"text", known->when}};
      rule["help"] = json::object{{"text", known->advice}};
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

bool has_errors(const CheckedFile& file) { return std::ranges::any_of(file.findings, &Finding::is_error); }

void show_findings(const CheckedFile& file) {
  for (const Finding& finding : file.findings) {
    std::string text = shown_diagnostic(finding.diagnostic);
    constexpr std::string_view kError = "error[";
    if (const std::size_t at = text.find(kError); !finding.is_error && at != std::string::npos) {
      text.replace(at, kError.size(), "warning[");
    }
    std::cerr << text;
  }
}

std::string findings_json(const std::vector<CheckedFile>& files) {
  json::array all;
  for (const CheckedFile& file : files) {
    json::array findings;
    for (const Finding& finding : file.findings) findings.push_back(finding_json(finding));
    all.push_back(json::object{{"file", file.name}, {"ok", !has_errors(file)}, {"findings", std::move(findings)}});
  }
  return json::serialize(json::object{{"files", std::move(all)}}) + "\n";
}

std::string findings_sarif(const std::vector<CheckedFile>& files) {
  json::array results;
  for (const CheckedFile& file : files) {
    for (const Finding& finding : file.findings) results.push_back(sarif_result(file.name, finding));
  }
  json::object driver{{"name", "ptcvm check"}, {"version", ptc::kEngineVersion}, {"rules", sarif_rules(files)}};
  json::object run{{"tool", json::object{{"driver", std::move(driver)}}},
                   {"columnKind", "unicodeCodePoints"},
                   {"results", std::move(results)}};
  const json::object log{{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", json::array{std::move(run)}}};
  return json::serialize(log) + "\n";
}

}  // namespace ptcvm::cli
