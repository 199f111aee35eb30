#include "tools/gen_limits/limit_pages.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "schema/limits.h"

namespace ptc {
namespace {

constexpr int kOutstandingField = 16;   // the one field of the table that is no limit

std::string_view fbs_type(LimitType type) {
  return type == LimitType::U64 ? "ulong" : type == LimitType::U32 ? "uint" : "long";
}

std::string_view json_type(LimitType type) {
  return type == LimitType::U64 ? "u64" : type == LimitType::U32 ? "u32" : "i64";
}

std::string_view scope_text(LimitScope scope) {
  switch (scope) {
    case LimitScope::Value: return "value";
    case LimitScope::Call: return "call";
    case LimitScope::Run: return "run";
    case LimitScope::Turn: return "turn";
    case LimitScope::Host: return "host";
  }
  return "";
}

std::string number_text(const LimitInfo& limit, std::uint64_t number) {
  if (number == 0 && limit.zero == LimitZero::None) return "none";
  return std::to_string(number);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string limit_schema(const LimitInfo& limit) {
  const std::string_view earlier = earlier_spelling(limit, LimitPlace::Snapshot);
  std::string out = "        " + quoted(earlier.empty() ? limit.name : earlier) + ": {\n";
  out.append("          \"$ref\": \"#/$defs/").append(json_type(limit.type)).append("\",\n");
  if (limit.least > 0) out += "          \"minimum\": " + std::to_string(limit.least) + ",\n";
  out += "          \"description\": " + quoted(limit.doc) + ",\n";
  return out + "          \"default\": " + std::to_string(limit.initial) + "\n        },\n";
}

}  // namespace

std::string limits_fbs() {
  std::vector<const LimitInfo*> rows;
  for (const LimitInfo& limit : kLimits) {
    if (limit.field != kLimitInSession) rows.push_back(&limit);
  }
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->field < b->field; });
  std::string out =
      "// The limits of a run in its snapshot. Made by tools/gen_limits from schema/limits.def. Do not edit.\n"
      "namespace ptc.schema;\n\ntable Limits {\n";
  int next = 0;
  for (const LimitInfo* limit : rows) {
    if (next == kOutstandingField) {
      out += "  outstanding: ubyte = 0 (id: 16);     // detach, cancel, error\n";
      ++next;
    }
    out.append("  ").append(limit->name).append(": ").append(fbs_type(limit->type)).append(" = ");
    out.append(std::to_string(limit->initial)).append(" (id: ").append(std::to_string(next++)).append(");\n");
  }
  return out + "}\n";
}

std::string limits_reference() {
  std::string out =
      "# Limits\n\n<!-- Made by tools/gen_limits from schema/limits.def. Do not edit. -->\n\n"
      "Each limit has one name. Options of the command line and EDN write `-` for `_`: `--memory-bytes`.\n"
      "A value out of the range is refused wherever it comes from. A run that is restored gets the smaller of its\n"
      "own limit and the host's, for every limit. [Limits, one by one](../security-limits.md) says where each is\n"
      "looked at.\n\n"
      "| Name | Unit | Default | Least | Most | Counts for one | Fault | What it does |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const LimitInfo& limit : kLimits) {
    const std::string fault = limit.fault ? '`' + std::string(fault_name(*limit.fault)) + '`' : std::string("-");
    out.append("| `").append(limit.name).append("` | ").append(limit.unit).append(" | ");
    out.append(number_text(limit, limit.initial)).append(" | ").append(std::to_string(limit.least)).append(" | ");
    out.append(std::to_string(limit.most)).append(" | ").append(scope_text(limit.scope)).append(" | ").append(fault);
    out.append(" | ").append(limit.doc).append(" |\n");
  }
  return out;
}

std::string with_limits_schema(const std::string& schema) {
  constexpr std::string_view kBegin = "    \"limits\": {\n", kProperties = "      \"properties\": {\n",
                             kEnd = "        \"outstanding\": {\n";
  const std::size_t begin = schema.find(kBegin);
  const std::size_t first = begin == std::string::npos ? begin : schema.find(kProperties, begin);
  const std::size_t end = first == std::string::npos ? first : schema.find(kEnd, first);
  if (end == std::string::npos) return {};
  std::string out = schema.substr(0, first + kProperties.size());
  for (const LimitInfo& limit : kLimits) {
    if (limit.field != kLimitInSession) out += limit_schema(limit);
  }
  return out + schema.substr(end);
}

}  // namespace ptc
