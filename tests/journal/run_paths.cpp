// ptc_paths_test FOLDER [--records FILE.jsonl] [--generated N] [--filter TEXT]
//
// Running a program again from the top, against its log, is the slow path of resuming: each program, each generated
// one and each record (as `ptcvm batch` reads them) is opened anew at every suspension in both ways, once with its
// tools as they are and once with sync tools that answer late, and must leave the same facts and come to the same end.
#include <boost/json.hpp>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/durable_paths.h"
#include "support/generated_file.h"
#include "tools/generator/generator.h"
#include "vm/value/print.h"

namespace {

namespace json = boost::json;
using ptc::test::Path;
using ptc::test::PathResult;
using ptc::test::ProgramFile;

struct Arguments {
  std::string folder, records, filter;
  std::uint64_t generated = 0;
  bool refused = false;
};

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  for (int i = 1; i < count; ++i) {
    const std::string_view text = texts[i];
    const bool has_value = i + 1 < count;
    if (text == "--records" && has_value) {
      out.records = texts[++i];
    } else if (text == "--filter" && has_value) {
      out.filter = texts[++i];
    } else if (text == "--generated" && has_value) {
      const std::string_view number = texts[++i];
      std::from_chars(number.data(), number.data() + number.size(), out.generated);
    } else if (!text.starts_with("-") && out.folder.empty()) {
      out.folder = text;
    } else {
      out.refused = true;
    }
  }
  return out;
}

std::string text_of(const json::object& record, std::string_view member) {
  const json::value* value = record.if_contains(member);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool is_async(const json::object& record, std::string_view tool) {
  const json::value* const definitions = record.if_contains("tool_defs");
  if (definitions == nullptr || !definitions->is_array()) return false;
  for (const json::value& definition : definitions->get_array()) {
    const json::value* mode = definition.as_object().if_contains("async");
    if (text_of(definition.as_object(), "name") == tool) return mode != nullptr && mode->is_bool() && mode->get_bool();
  }
  return false;
}

ProgramFile file_of(const json::object& record) {
  ProgramFile file;
  file.name = text_of(record, "id");
  file.source = text_of(record, "source");
  file.data_edn = text_of(record, "context_edn");
  file.memory_edn = text_of(record, "memory_edn");
  file.journal_edn = text_of(record, "journal_edn");
  file.history_edn = text_of(record, "history_edn");
  const json::value* const tools = record.if_contains("tools");
  if (tools == nullptr || !tools->is_array()) return file;
  for (const json::value& item : tools->get_array()) {
    const json::object& answer = item.as_object();
    ptc::RecordedCall call{text_of(answer, "name"), text_of(answer, "args_edn"), std::nullopt, std::nullopt};
    if (const std::string error = text_of(answer, "error"); !error.empty()) {
      ptc::append_quoted(call.error_edn.emplace(), error);
    } else {
      call.result_edn = text_of(answer, "result_edn");
    }
    file.tools.emplace_back(call.tool, is_async(record, call.tool) ? ptc::AsyncMode::Yes : ptc::AsyncMode::No);
    file.calls.push_back(std::move(call));
  }
  return file;
}

// Counts what it compared.
class Comparison {
 public:
  void visit(const ProgramFile& file) {
    if (!file.complaint.empty() || file.heavy) return;
    for (const bool waits_at_calls : {false, true}) {
      const PathResult fast = run_on_path(engine_, file, Path::Fast, waits_at_calls);
      ++programs_;
      if (fast.openings < 2) continue;   // it never waited
      const std::string difference =
          difference_of_paths(fast, run_on_path(engine_, file, Path::Slow, waits_at_calls));
      ++compared_;
      openings_ += fast.openings;
      if (difference.empty()) continue;
      ++failed_;
      std::printf("FAILED %s%s\n%s", file.name.c_str(), waits_at_calls ? ", calls wait" : "", difference.c_str());
      std::fflush(stdout);
    }
  }
  bool report() const {
    std::printf("%zu runs, %zu waited and were opened %zu times, %zu failed\n", programs_, compared_, openings_,
                failed_);
    return failed_ == 0 && compared_ > 0;
  }

 private:
  const ptc::Engine engine_;
  std::size_t programs_ = 0, compared_ = 0, openings_ = 0, failed_ = 0;
};

}  // namespace

int main(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  if (arguments.refused) {
    std::fputs("usage: ptc_paths_test [FOLDER] [--records FILE.jsonl] [--generated N] [--filter TEXT]\n", stderr);
    return 2;
  }
  Comparison comparison;
  if (!arguments.folder.empty()) {
    for (const ProgramFile& file : ptc::test::read_program_files(arguments.folder, arguments.filter)) {
      comparison.visit(file);
    }
  }
  for (std::uint64_t seed = 1; seed <= arguments.generated; ++seed) {
    ptc::generator::GeneratorOptions options;
    options.seed = seed;
    options.timers = false;   // from the top, time limits of awaits begin anew (docs/durable-runs.md)
    comparison.visit(ptc::test::file_of(ptc::generator::generate_program(options), seed));
  }
  std::ifstream records(arguments.records);
  for (std::string line; std::getline(records, line);) {
    const ProgramFile file = file_of(json::parse(line).as_object());
    if (file.name.find(arguments.filter) != std::string::npos) comparison.visit(file);
  }
  return comparison.report() ? 0 : 1;
}
