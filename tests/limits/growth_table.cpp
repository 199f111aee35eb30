#include "limits/growth_table.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/session/session.h"
#include "schema/builtin_id.h"
#include "schema/fault_kind.h"
#include "support/refusal_cost.h"

namespace ptc::test {
namespace {

// The memory of every program of the table: small, so that its edge is near.
constexpr std::uint64_t kMemory = 16u << 20;
constexpr std::uint64_t kFuel = 20'000'000;
constexpr std::uint64_t kTextBytes = 1u << 20;
constexpr double kMostSeconds = kMostRefusalSeconds;

struct Row {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

// Lines of fields between tabs; empty ones and those that begin with # are for people.
std::vector<Row> read_rows(const std::string& file) {
  std::vector<Row> rows;
  std::ifstream in(file);
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    if (text.empty() || text.front() == '#') continue;
    Row row{line, {}};
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t tab = std::min(text.find('\t', from), text.size());
      row.fields.push_back(text.substr(from, tab - from));
      from = tab + 1;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Ran {
  std::string kind, message;              // "" of a run without a fault
  std::uint64_t fuel = 0, peak_bytes = 0;
  double seconds = 0;
};

Ran run(const Engine& engine, const std::string& program) {
  SessionOptions options;
  options.limits.memory_bytes = kMemory;
  options.limits.fuel = kFuel;
  options.limits.string_bytes = kTextBytes;
  options.fixed_clock_millis = 0;
  Ran ran;
  const CostMeter meter;
  Session session(engine, options);
  const Outcome outcome = session.turn(program);
  ran.seconds = meter.seconds();
  ran.fuel = outcome.fuel;
  ran.peak_bytes = outcome.peak_bytes;
  if (outcome.status == OutcomeStatus::Error) {
    ran.kind = fault_name(outcome.fault.kind);
    ran.message = outcome.fault.message;
  }
  return ran;
}

// name, what is measured before the work is done, fault, the program inside, the program outside
std::string failure_of(const Engine& engine, const std::vector<std::string>& fields) {
  static const std::set<std::string> kChecks = {"memory", "text", "integer", "fuel", "parallel", "regex", "depth"};
  if (fields.size() != 5) return std::to_string(fields.size()) + " fields, not 5";
  const auto& [name, check, fault] = std::tie(fields[0], fields[1], fields[2]);
  if (!kChecks.contains(check)) return "unknown check " + check;
  const Ran inside = run(engine, fields[3]);
  if (!inside.kind.empty()) return "inside: " + inside.kind + " (" + inside.message + ')';
  const Ran outside = run(engine, fields[4]);
  if (outside.kind != fault) {
    return "outside: expected " + fault + ", seen " + (outside.kind.empty() ? "a value" : outside.kind) + ' ' +
           outside.message;
  }
  // A megabyte: the largest text that may be. What is bounded by fuel alone takes its time.
  if (outside.peak_bytes > kMemory + kTextBytes) return "outside: " + std::to_string(outside.peak_bytes) + " bytes";
  if (outside.kind != "fuel_exhausted" && outside.seconds >= kMostSeconds && outside.fuel < kFuel / 20) {
    return "outside: " + std::to_string(outside.seconds) + " s for " + std::to_string(outside.fuel) + " units of fuel";
  }
  return {};
}

std::set<std::string> all_builtins() {
  std::set<std::string> names;
#define B(id, name, min, max, kind, category, usage, doc) \
  if (BuiltinCategory::category != BuiltinCategory::Hidden) names.insert(name);
#include "schema/builtins.def"
#undef B
  return names;
}

}  // namespace

std::string growth_failures(const std::string& growth_file, const std::string& others_file, std::size_t& rows) {
  static const std::set<std::string> kReasons = {"scalar", "view", "elements", "calls", "text", "once", "waits"};
  std::string out;
  const auto complain = [&out](const std::string& file, const Row& row, const std::string& what) {
    out += file + ':' + std::to_string(row.line) + ": " + row.fields[0] + ": " + what + '\n';
  };
  const std::set<std::string> builtins = all_builtins();
  std::set<std::string> met;
  const Engine engine;
  run(engine, "nil");                     // what is made once in a process
  for (const Row& row : read_rows(growth_file)) {
    ++rows;
    const std::string& name = row.fields[0];
    if (!builtins.contains(name) && !name.starts_with("form:")) complain(growth_file, row, "no builtin");
    met.insert(name);
    const std::string failure = failure_of(engine, row.fields);
    if (!failure.empty()) complain(growth_file, row, failure);
  }
  for (const Row& row : read_rows(others_file)) {
    ++rows;
    if (row.fields.size() != 2 || !kReasons.contains(row.fields[1])) complain(others_file, row, "no known reason");
    if (!builtins.contains(row.fields[0])) complain(others_file, row, "no builtin");
    if (!met.insert(row.fields[0]).second) complain(others_file, row, "stands there twice, or grows");
  }
  for (const std::string& name : builtins) {
    if (!met.contains(name)) out += name + ": is in neither table; see docs/security-limits.md\n";
  }
  return out;
}

std::string growth_page_failure(const std::string& growth_file, const std::string& page_file, bool write) {
  constexpr std::string_view kBegin = "<!-- growth -->\n", kEnd = "<!-- /growth -->";
  std::map<std::string, std::vector<std::string>> names;
  for (const Row& row : read_rows(growth_file)) {
    if (row.fields.size() < 2) continue;
    std::vector<std::string>& of_check = names[row.fields[1]];
    const bool is_form = row.fields[0].starts_with("form:");
    const std::string shown = '`' + (is_form ? row.fields[0].substr(5) : row.fields[0]) + '`';
    if (std::find(of_check.begin(), of_check.end(), shown) == of_check.end()) of_check.push_back(shown);
  }
  std::string table = "| measured | what grows by it |\n| --- | --- |\n";
  for (const auto& [check, of_check] : names) {
    table += "| " + check + " | ";
    for (std::size_t i = 0; i < of_check.size(); ++i) table += (i == 0 ? "" : ", ") + of_check[i];
    table += " |\n";
  }
  std::ifstream in(page_file, std::ios::binary);
  std::string page(std::istreambuf_iterator<char>(in), {});
  const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    return page_file + ": no place for the table\n";
  }
  const std::size_t from = begin + kBegin.size();
  if (page.compare(from, end - from, table) == 0) return {};
  if (!write) return page_file + ": the table is not that of " + growth_file + "; --write makes it anew\n";
  page.replace(from, end - from, table);
  std::ofstream(page_file, std::ios::binary) << page;
  return {};
}

}  // namespace ptc::test
