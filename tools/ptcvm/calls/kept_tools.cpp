#include "tools/ptcvm/calls/kept_tools.h"

#include <span>

#include "ptcvm/convert.hpp"
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kSuffix = "/tools", kFactName = "tools";

Result<ToolTexts> read_kept(const HostLog& log) {
  const auto head = log.head();
  if (!head) return head.error();
  ToolTexts out;
  if (*head == 0) return out;
  const auto facts = log.read(*head - 1, 1);
  if (!facts) return facts.error();
  const auto body = facts->empty() ? Result<Value>(Value()) : Value::from_json(facts->front().body);
  if (!body) return out;                         // another version wrote it
  for (const ValueEntry& entry : body->view().entries()) {
    out.emplace(entry.key.as_string().value_or(""), entry.value.as_string().value_or(""));
  }
  return out;
}

std::vector<std::string> changes_of(const ToolTexts& before, const ToolTexts& now) {
  std::vector<std::string> out;
  for (const auto& [name, text] : before) {
    const auto found = now.find(name);
    if (found == now.end()) out.push_back(name + " is not in the files any more; it was " + cut_text(text));
    if (found != now.end() && found->second != text) {
      out.push_back(name + " was " + cut_text(text) + ", and is " + cut_text(found->second));
    }
  }
  for (const auto& [name, text] : now) {
    if (!before.contains(name)) out.push_back(name + " is new: " + cut_text(text));
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> keep_tools(const Store& store, const std::string& run, const ToolTexts& tools) {
  if (tools.empty()) return std::vector<std::string>();
  HostLog log = HostLog::of(store, run + std::string(kSuffix));
  const auto before = read_kept(log);
  if (!before) return before.error();
  if (*before == tools) return std::vector<std::string>();
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kFactName;
  const auto fill = [&tools](ValueWriter& out) {
    for (const auto& [name, text] : tools) out.entry(name, text);
  };
  fact.body = Value::build([&fill](ValueWriter& out) { out.map(fill); }).to_json();
  fact.time_ms = now_millis();
  const auto written = log.put(HostCut::blind(), std::span(&fact, 1));
  if (!written) return written.error();
  return before->empty() ? std::vector<std::string>() : changes_of(*before, tools);
}

Result<ToolTexts> kept_tools(const Store& store, const std::string& run) {
  return read_kept(HostLog::of(store, run + std::string(kSuffix)));
}

bool is_log_of_tools(const Store& store, std::string_view log) {
  if (!log.ends_with(kSuffix)) return false;
  const auto first = HostLog::of(store, std::string(log)).read(0, 1);
  return first && !first->empty() && first->front().is_of_host && first->front().name == kFactName;
}

}  // namespace ptcvm::cli
