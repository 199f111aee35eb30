// The public headers: the same limits for C++ and for C.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/limits.h"
#include "tools/gen_limits/limit_pages.h"

namespace ptc {
namespace {

// The first layout of the C struct has so many members: first the members with 64 bits, then the members with 32. Later
// members have 64 bits and follow in their order, so that the struct never has padding.
constexpr int kFirstMembers = 16;
constexpr std::size_t kColumns = 110;   // a line of a comment has at most so many

std::vector<const LimitInfo*> in_member_order() {
  std::vector<const LimitInfo*> rows;
  for (const LimitInfo& limit : kLimits) rows.push_back(&limit);
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->member < b->member; });
  return rows;
}

// 100'000'000
std::string with_separators(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, '\'');
  return out;
}

std::string_view integer_type(LimitType type) {
  return type == LimitType::U64 ? "uint64_t" : type == LimitType::U32 ? "uint32_t" : "int64_t";
}

// "  // " and the words, in lines.
std::string comment(std::string_view text) {
  std::string out, line = "  //";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (line.size() + 1 + end > kColumns) out += std::exchange(line, "  //") + '\n';
    line.append(" ").append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + '\n';
}

std::string described(const LimitInfo& limit) {
  std::string text(limit.doc);
  text.append(" Unit: ").append(limit.unit).append("; ").append(std::to_string(limit.least)).append(" to ");
  text.append(std::to_string(limit.most)).append(".");
  if (limit.fault) text.append(" Fault: ").append(fault_name(*limit.fault)).append(".");
  return comment(text);
}

}  // namespace

std::string limits_cpp_header() {
  std::string out =
      "// Limits of one run. All of them hold across suspensions; a run that is restored gets the smaller of its own\n"
      "// and the host's. Passing one ends the turn with the fault named here, at a position; what was recorded by\n"
      "// then is kept. A limit out of its range is refused where it is given, with Errc::invalid_value.\n"
      "//\n"
      "// Made by tools/gen_limits from schema/limits.def. Do not edit.\n"
      "#pragma once\n#include <cstdint>\n\nnamespace ptcvm {\n\n"
      "// The defaults suit a program that a model wrote. 0 is a limit unless the comment says otherwise.\n"
      "struct Limits {\n";
  for (const LimitInfo* limit : in_member_order()) {
    out.append(described(*limit)).append("  std::").append(integer_type(limit->type)).append(" ").append(limit->name);
    out.append(" = ").append(with_separators(limit->initial)).append(";\n");
  }
  return out + "};\n\n}  // namespace ptcvm\n";
}

std::string limits_c_header() {
  std::string out =
      "// Limits of one run for C; see ptcvm.h, which includes this file. Passing one ends the turn with the fault\n"
      "// named here. All hold across suspensions. A limit out of its range is refused with PTCVM_INVALID_VALUE.\n"
      "//\n"
      "// Made by tools/gen_limits from schema/limits.def. Do not edit.\n"
      "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n\n"
      "typedef struct ptcvm_limits {\n  size_t struct_size;\n";
  const auto add = [&out](const LimitInfo& limit, std::string_view type) {
    out.append(described(limit)).append("  ").append(type).append(" ").append(limit.name).append(";\n");
  };
  const auto rows = in_member_order();
  for (const bool is_wide : {true, false}) {
    for (int i = 0; i < kFirstMembers; ++i) {
      const LimitInfo& limit = *rows[std::size_t(i)];
      if ((limit.type != LimitType::U32) == is_wide) add(limit, integer_type(limit.type));
    }
  }
  out += "  uint32_t reserved;\n";
  for (std::size_t i = kFirstMembers; i < rows.size(); ++i) {
    add(*rows[i], rows[i]->type == LimitType::I64 ? "int64_t" : "uint64_t");
  }
  return out + "} ptcvm_limits;\n";
}

}  // namespace ptc
