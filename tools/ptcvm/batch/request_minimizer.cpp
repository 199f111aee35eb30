#include "tools/ptcvm/batch/request_minimizer.h"

#include <boost/json.hpp>
#include <chrono>

#include "tools/generator/generator.h"
#include "tools/generator/minimizer.h"
#include "tools/ptcvm/batch/answer_difference.h"
#include "tools/ptcvm/batch/batch_request.h"
#include "tools/ptcvm/calls/child_process.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostCandidates = 20'000;
constexpr std::chrono::seconds kCheckTime{60};
constexpr std::uint64_t kMostErrorBytes = std::uint64_t{64} << 20;   // a check that writes more is ended
constexpr int kSignalBase = 1'000, kNoEnd = 2'000, kFlood = 2'001;   // besides exit statuses
constexpr int kNotExecutable = 126, kNotFound = 127;   // what a shell ends with when it cannot start a command

json::object object_of(const std::string& request) {
  json::error_code error;
  const json::value parsed = json::parse(request, error);
  return !error && parsed.is_object() && parsed.get_object().contains("source") ? parsed.get_object() : json::object();
}

std::string member_of(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains({name.data(), name.size()});
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// The request with another source; a text is its own source.
std::string with_source(const json::object& request, const std::string& source) {
  if (request.empty()) return source;
  json::object changed = request;
  changed["source"] = source;
  return json::serialize(changed);
}

// Leaves out the entries of a list whose tool the source does not mention.
void drop_unmentioned(json::object& request, std::string_view list, const std::string& source) {
  json::value* const found = request.if_contains({list.data(), list.size()});
  if (found == nullptr || !found->is_array()) return;
  json::array kept;
  for (const json::value& entry : found->get_array()) {
    const bool is_used = entry.is_object() && source.find(member_of(entry.get_object(), "name")) != std::string::npos;
    if (is_used) kept.push_back(entry);
  }
  *found = std::move(kept);
}

}  // namespace

int RequestMinimizer::check(const std::string& candidate) {
  if (command_.empty()) {
    const std::string straight = answer_request(engine_, candidate);
    return differing_members(straight, answer_request(engine_, suspended_everywhere(candidate)), {}).empty() ? 0 : 1;
  }
  ChildLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + kCheckTime;
  limits.max_thrown_bytes = kMostErrorBytes;
  const std::string input = form_ == CandidateForm::Program ? readable_request(candidate) : candidate + '\n';
  const ChildResult child = run_child({"/bin/sh", "-c", command_}, input, limits);
  if (child.end == ChildResult::End::Exited) {
    if (child.code == kNotExecutable || child.code == kNotFound) {
      constexpr std::string_view kBlanks = " \t\r\n";
      problem_ = "the command of --minimize cannot be run: " + command_ + ": exit status " +
                 std::to_string(child.code) + (child.error.empty() ? "" : ": " + child.error);
      problem_.resize(problem_.find_last_not_of(kBlanks) + 1);
    }
    return child.code;
  }
  if (child.end == ChildResult::End::TooManyErrors) return kFlood;
  return child.end == ChildResult::End::Signalled ? kSignalBase + child.code : kNoEnd;
}

std::string RequestMinimizer::without_unused(std::string request, int failure) {
  const json::object before = object_of(request);
  if (before.empty()) return request;
  json::object after = before;
  const std::string source = member_of(before, "source");
  drop_unmentioned(after, "tool_defs", source);
  drop_unmentioned(after, "tools", source);
  const auto keep_if_failing = [&](const json::object& smaller) {
    std::string text = json::serialize(smaller);
    if (check(text) == failure) request = std::move(text);
  };
  keep_if_failing(after);
  for (const std::string_view part : {"journal_edn", "limits"}) {
    json::object smaller = object_of(request);
    if (smaller.erase({part.data(), part.size()}) > 0) keep_if_failing(smaller);
  }
  return request;
}

bool RequestMinimizer::fails_always(const std::string& request, int failure) {
  if (command_.empty() || check(with_source(object_of(request), "nil")) != failure) return false;
  const bool gets_lines = form_ == CandidateForm::Line;
  problem_ = "the command of --minimize ends in the same way for the program nil: what it fails on is not the program. "
             "It gets ";
  problem_ += gets_lines ? "a line for ptcvm batch; give --text for a command that reads programs"
                         : "a program; leave out --text for a command that reads lines for ptcvm batch";
  return true;
}

std::optional<std::string> RequestMinimizer::minimize(const std::string& request) {
  const int failure = check(request);
  if (failure == 0 || !problem_.empty() || fails_always(request, failure)) return std::nullopt;
  if (failure == kFlood) {
    note_ = "the check was ended: it wrote more than " + std::to_string(kMostErrorBytes >> 20) +
            " MiB to its standard error, which counts as its failure";
  }
  const json::object object = object_of(request);
  ptc::generator::Minimizer minimizer(
      [&](const std::string& source) { return check(with_source(object, source)) == failure; }, kMostCandidates);
  const std::string source = minimizer.minimize(object.empty() ? request : member_of(object, "source"));
  candidates_ = minimizer.candidates();
  std::string small = without_unused(with_source(object, source), failure);
  problem_.clear();                                // the command could be run before
  return small;
}

std::string request_of_file(std::string text) {
  if (text.starts_with('{') && text.find("\"source\"") != std::string::npos) {
    text.resize(std::min(text.find('\n'), text.size()));
    return text;
  }
  const ptc::generator::GeneratedProgram program = ptc::generator::program_of_text(text);
  json::object request = object_of(ptc::generator::batch_request_line(program, "program"));
  request.erase("limits");   // the engine under test has its own
  return json::serialize(request);
}

std::string readable_request(const std::string& request) {
  const json::object object = object_of(request);
  if (object.empty()) return request;
  ptc::generator::GeneratedProgram program;
  program.source = member_of(object, "source") + '\n';
  const auto each = [&object](std::string_view list, const auto& visit) {
    const json::value* const found = object.if_contains({list.data(), list.size()});
    if (found == nullptr || !found->is_array()) return;
    for (const json::value& entry : found->get_array()) {
      if (entry.is_object()) visit(entry.get_object());
    }
  };
  using ptc::generator::ToolMode;
  each("tool_defs", [&](const json::object& entry) {
    const json::value* const async = entry.if_contains("async");
    const bool is_async = async != nullptr && async->is_bool() && async->get_bool();
    const bool is_auto = async != nullptr && async->is_string();
    program.tools.push_back(
        {member_of(entry, "name"), is_async ? ToolMode::Async : is_auto ? ToolMode::Auto : ToolMode::Sync});
  });
  each("tools", [&](const json::object& entry) {
    const bool failed = entry.contains("error");
    program.answers.push_back({member_of(entry, "name"), member_of(entry, "args_edn"), member_of(entry, "result_edn"),
                               failed ? std::optional(member_of(entry, "error")) : std::nullopt});
  });
  if (object.contains("journal_edn")) program.journal_edn = member_of(object, "journal_edn");
  return program_text(program);
}

}  // namespace ptcvm::cli
