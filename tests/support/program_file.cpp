// Reads the directive lines of test programs. Anything that looks like a directive and cannot be read is a complaint:
// a misspelt expectation must not pass silently.
#include "support/program_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

namespace ptc::test {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The rest of the line when it begins with that word.
std::optional<std::string_view> after(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  if (!line.empty() && line.front() != ' ') return std::nullopt;
  return trimmed(line);
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

void read_fault(std::string_view text, ProgramFile& file) {
  Expectation& expect = file.expect;
  expect.stated = true;
  expect.status = OutcomeStatus::Error;
  std::string_view place;
  const std::size_t at = text.starts_with("at ") ? 0 : text.find(" at ");
  if (at != std::string_view::npos) {
    place = trimmed(text.substr(text.find("at ", at) + 3));
    text = trimmed(text.substr(0, at));
  }
  expect.kind = text;
  if (place.empty()) return;
  const std::size_t colon = place.find(':');
  const bool line_read = read_number(place.substr(0, colon), expect.line);
  const bool column_read = colon == std::string_view::npos || read_number(place.substr(colon + 1), expect.column);
  if (!line_read || !column_read) file.complaint = "bad position: " + std::string(place);
}

void read_tool(std::string_view text, AsyncMode mode, ProgramFile& file) {
  const std::size_t name_end = text.find(' ');
  const std::size_t good = text.find(" => "), bad = text.find(" =! ");
  const std::size_t arrow = std::min(good, bad);
  if (name_end == std::string_view::npos || arrow == std::string_view::npos || arrow <= name_end) {
    file.complaint = "bad tool line: " + std::string(text);
    return;
  }
  RecordedCall call;
  call.tool = text.substr(0, name_end);
  call.args_edn = trimmed(text.substr(name_end, arrow - name_end));
  (good < bad ? call.result_edn : call.error_edn).emplace(trimmed(text.substr(arrow + 4)));
  file.tools.emplace_back(call.tool, mode);
  file.calls.push_back(std::move(call));
}

// ":fuel" and so on; "" or why not.
std::string take_setting(SessionOptions& options, std::string_view key, std::string_view number_text) {
  std::uint64_t number = 0;
  if (key == ":float-precision" && read_number(number_text, number)) {
    options.float_precision = static_cast<int>(number);
    return {};
  }
  const LimitInfo* const limit = key.starts_with(':') ? find_limit(key.substr(1), LimitPlace::Batch) : nullptr;
  return limit == nullptr ? "unknown setting: " + std::string(key) : set_limit(options.limits, *limit, number_text);
}

// {:key number … :signature "text"}
void read_settings(std::string_view text, ProgramFile& file) {
  if (!text.starts_with('{') || !text.ends_with('}')) {
    file.complaint = "expected {…}: " + std::string(text);
    return;
  }
  text = trimmed(text.substr(1, text.size() - 2));
  while (!text.empty()) {
    const std::size_t key_end = text.find(' ');
    const std::string_view key = text.substr(0, key_end);
    text = key_end == std::string_view::npos ? std::string_view() : trimmed(text.substr(key_end));
    if (key == ":signature" && text.starts_with('"')) {
      const std::size_t close = text.find('"', 1);
      file.options.signature = text.substr(1, close - 1);
      text = trimmed(text.substr(std::min(close + 1, text.size())));
      continue;
    }
    const std::string_view number_text = text.substr(0, text.find(' '));
    file.complaint = take_setting(file.options, key, number_text);
    if (!file.complaint.empty()) return;
    text = trimmed(text.substr(number_text.size()));
  }
}

struct TextRow {
  std::string_view word;
  void (*set)(ProgramFile&, std::string_view);
};

void expect_value(ProgramFile& file, OutcomeStatus status, std::string_view text) {
  file.expect.stated = true;
  file.expect.status = status;
  file.expect.value_edn = text;
}

constexpr TextRow kDirectives[] = {
    {"=>", [](ProgramFile& f, std::string_view t) { expect_value(f, OutcomeStatus::Ok, t); }},
    {"return", [](ProgramFile& f, std::string_view t) { expect_value(f, OutcomeStatus::Return, t); }},
    {"fail", [](ProgramFile& f, std::string_view t) { expect_value(f, OutcomeStatus::Fail, t); }},
    {"!!", [](ProgramFile& f, std::string_view t) { read_fault(t, f); }},
    {"prints", [](ProgramFile& f, std::string_view t) { f.expect.prints_edn = t; }},
    {"journal",
     [](ProgramFile& f, std::string_view t) {
       f.expect.journal_edn = t;
       f.has_journal = true;
     }},
    {"calls", [](ProgramFile& f, std::string_view t) { f.expect.calls_edn = t; }},
    {"says", [](ProgramFile& f, std::string_view t) { f.expect.says = t; }},
    {"memory", [](ProgramFile& f, std::string_view t) { f.expect.memory_edn = t; }},
    {"summaries", [](ProgramFile& f, std::string_view t) { f.expect.summaries_edn = t; }},
    {"data", [](ProgramFile& f, std::string_view t) { f.data_edn = t; }},
    {"memory-in", [](ProgramFile& f, std::string_view t) { f.memory_edn = t; }},
    {"journal-in",
     [](ProgramFile& f, std::string_view t) {
       f.journal_edn = t;
       f.has_journal = true;
     }},
    {"history", [](ProgramFile& f, std::string_view t) { f.history_edn = t; }},
    {"budget", [](ProgramFile& f, std::string_view t) { f.budget_edn = t; }},
    {"suspended", [](ProgramFile& f, std::string_view t) { expect_value(f, OutcomeStatus::Suspended, t); }},
    {"tool", [](ProgramFile& f, std::string_view t) { read_tool(t, AsyncMode::No, f); }},
    {"async-tool", [](ProgramFile& f, std::string_view t) { read_tool(t, AsyncMode::Yes, f); }},
    {"auto-tool", [](ProgramFile& f, std::string_view t) { read_tool(t, AsyncMode::Auto, f); }},
    {"tool-def", [](ProgramFile& f, std::string_view t) { f.tools.emplace_back(t, AsyncMode::No); }},
    {"limits", [](ProgramFile& f, std::string_view t) { read_settings(t, f); }},
    {"options", [](ProgramFile& f, std::string_view t) { read_settings(t, f); }},
    {"heavy", [](ProgramFile& f, std::string_view) { f.heavy = true; }},
};

}  // namespace

ProgramFile parse_program_file(std::string name, std::string source) {
  ProgramFile file;
  file.name = std::move(name);
  file.source = std::move(source);
  std::string_view rest = file.source;
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (first || !line.starts_with(";; ")) continue;   // the first line is the claim
    line = trimmed(line.substr(3));
    bool known = false;
    for (const TextRow& row : kDirectives) {
      if (const auto text = after(line, row.word)) {
        row.set(file, *text);
        known = true;
      }
    }
    if (!known) file.complaint = "unknown directive: " + std::string(line);
  }
  if (!file.expect.stated && file.complaint.empty()) file.complaint = "no expectation";
  return file;
}

std::vector<ProgramFile> read_program_files(const std::string& folder, std::string_view filter) {
  namespace fs = std::filesystem;
  std::vector<ProgramFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (it->path().extension() != ".ptc") continue;
    std::string name = fs::relative(it->path(), folder, error).replace_extension().string();
    if (name.find(filter) == std::string::npos) continue;
    std::ifstream in(it->path(), std::ios::binary);
    files.push_back(parse_program_file(std::move(name), std::string(std::istreambuf_iterator<char>(in), {})));
  }
  std::sort(files.begin(), files.end(), [](const ProgramFile& a, const ProgramFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace ptc::test
