// Session::check(): what the compiler finds, what the data of the session lacks, and literal arguments of tools. And
// definitions_in().
#include <algorithm>
#include <set>

#include "api/argument_check.h"
#include "api/errors.h"
#include "api/run_impl.h"
#include "ptcvm/session.hpp"
#include "runtime/engine/compiling.h"
#include "runtime/engine/diagnostic_text.h"
#include "runtime/session/edn_values.h"
#include "schema/closest_name.h"
#include "vm/value/map.h"

namespace ptcvm {
namespace {

constexpr std::size_t kListedKeys = 20;     // that one message lists

// Returns the names of the entries of the data.
std::vector<std::string> data_names(ptc::Session& session) {
  std::vector<std::string> names;
  const ptc::Value data = session.inputs().context();
  if (!data.is_map()) return names;
  for (ptc::MapCursor entry(session.heap(), data); entry.next();) {
    if (auto name = ptc::edn_name(entry.key())) names.push_back(std::move(*name));
  }
  return names;
}

// Names are the same when they differ in - and _ only, as flexible look-up has it.
bool is_same(std::string_view a, std::string_view b) {
  const auto folded = [](char c) { return c == '-' ? '_' : c; };
  return std::ranges::equal(a, b, {}, folded, folded);
}

std::string missing_hint(std::string_view name, const std::vector<std::string>& names) {
  if (names.empty()) return "there is no data at all";
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view closest = ptc::closest_name(name, views);
  if (!closest.empty()) return "Did you mean: data/" + std::string(closest);
  std::string text = "The data has:";
  for (std::size_t i = 0; i < std::min(names.size(), kListedKeys); ++i) text += (i == 0 ? " " : ", ") + names[i];
  return text + (names.size() > kListedKeys ? ", …" : "");
}

// A fault without its source, of which each would have a copy.
Diagnostic diagnostic_in(const ptc::OutcomeFault& fault, std::string_view source) {
  Diagnostic out = diagnostic_of(fault);
  out.excerpt = ptc::source_excerpt(source, fault.span);
  return out;
}

Diagnostic missing_data(const ptc::DataUse& use, const std::vector<std::string>& names, const std::string& source_name,
                        std::string_view source) {
  const ptc::OutcomeFault fault{ptc::FaultKind::UnboundVar, "data/" + use.name + " is not in the data, so it is nil",
                                missing_hint(use.name, names), use.span, source_name, {}, false};
  Diagnostic out = diagnostic_in(fault, source);
  out.kind = "missing_data";
  return out;
}

Diagnostic more_findings(std::size_t count, const std::string& source_name) {
  Diagnostic out;
  out.kind = "more_findings";
  out.message = std::to_string(count) + " more findings are left out";
  out.source_name = source_name;
  return out;
}

}  // namespace

ProgramFindings Session::check(std::string_view source) const {
  ptc::Session& session = run_.impl_->awake();
  const std::string& source_name = session.options().source_name;
  ptc::ProgramFindings found = session.check(source);
  ProgramFindings out;
  for (ptc::Finding& finding : found.findings) {
    ptc::OutcomeFault fault{finding.error.kind, std::move(finding.error.message), std::move(finding.error.hint),
                            finding.error.span, source_name, {}, false};
    Diagnostic diagnostic = diagnostic_in(fault, source);
    if (!finding.warning.empty()) diagnostic.kind = finding.warning;
    out.findings.push_back({finding.warning.empty(), std::move(diagnostic)});
  }
  const std::vector<std::string> names = data_names(session);
  std::size_t left_out = 0;
  const auto has_room = [&] { return out.findings.size() < 2 * ptc::kMostFindings || ++left_out == 0; };
  std::set<std::string_view> missing;
  for (const ptc::DataUse& use : found.data) {
    const auto is_there = [&use](const std::string& name) { return is_same(name, use.name); };
    if (std::ranges::any_of(names, is_there)) continue;
    if (!missing.insert(use.name).second || !has_room()) continue;
    out.findings.push_back({false, missing_data(use, names, source_name, source)});
  }
  const ptc::ToolRegistry& tools = session.calls().registry();
  for (const ptc::ToolUse& use : found.tools) {
    const ptc::Tool* const tool = tools.find(use.tool);
    const ptc::Signature* const contract = tool == nullptr ? nullptr : tool->definition.contract.get();
    if (contract == nullptr) continue;
    for (ptc::OutcomeFault& fault : wrong_arguments(use, tool->definition.name, *contract, source)) {
      fault.source_name = source_name;
      const auto is_same = [&fault](const Finding& other) {      // a text that is analyzed twice, as macros do
        return other.diagnostic.begin == fault.span.begin && other.diagnostic.message == fault.message;
      };
      if (std::ranges::any_of(out.findings, is_same) || !has_room()) continue;
      out.findings.push_back({true, diagnostic_of(fault)});
    }
  }
  std::ranges::stable_sort(out.findings, {}, [](const Finding& finding) { return finding.diagnostic.begin; });
  if (left_out > 0) out.findings.push_back({false, more_findings(left_out, source_name)});
  for (Finding& finding : out.findings) finding.diagnostic.text = diagnostic_text(finding.diagnostic);
  return out;
}

std::vector<SourceDefinition> definitions_in(std::string_view source) {
  std::vector<SourceDefinition> out;
  for (ptc::SourceDefinition& found : ptc::definitions_in_source(source)) {
    out.push_back({std::move(found.name), found.is_function, std::move(found.parameters), found.arity,
                   std::move(found.doc), found.span.line, found.span.column});
  }
  return out;
}

}  // namespace ptcvm
