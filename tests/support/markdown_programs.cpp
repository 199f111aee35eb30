#include "support/markdown_programs.h"

#include <algorithm>

namespace ptc::test {
namespace {

bool is_expectation(std::string_view line) {
  return line.starts_with(";; => ") || line.starts_with(";; !!") || line.starts_with(";; return ") ||
         line.starts_with(";; fail ");
}

// Collects the lines of one example; the first line of a program file is its claim and is never a directive.
class ExampleCollector {
 public:
  ExampleCollector(std::string_view document, std::vector<ProgramFile>& out) : document_(document), out_(out) {}

  void line(std::size_t number, std::string_view text) {
    const bool directive = text.starts_with(";; ");
    if (expectation_seen_ && !directive) finish();
    if (source_.empty()) {
      if (text.empty()) return;
      first_line_ = number;
      source_ = ";; example\n";
    }
    source_ += text;
    source_ += '\n';
    expectation_seen_ = expectation_seen_ || is_expectation(text);
  }
  void finish() {
    if (!source_.empty()) {
      out_.push_back(parse_program_file(document_ + ':' + std::to_string(first_line_), std::move(source_)));
    }
    source_.clear();
    expectation_seen_ = false;
  }

 private:
  std::string document_;
  std::vector<ProgramFile>& out_;
  std::string source_;
  std::size_t first_line_ = 0;
  bool expectation_seen_ = false;
};

}  // namespace

std::vector<ProgramFile> programs_of_markdown(std::string_view document_name, std::string_view text) {
  std::vector<ProgramFile> out;
  ExampleCollector collector(document_name.substr(document_name.rfind('/') + 1), out);
  bool inside = false, runnable = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("```")) {
      if (inside && runnable) collector.finish();
      inside = !inside;
      runnable = inside && (line == "```clojure" || line == "```lisp");
    } else if (inside && runnable) {
      collector.line(number, line);
    }
  }
  return out;
}

}  // namespace ptc::test
