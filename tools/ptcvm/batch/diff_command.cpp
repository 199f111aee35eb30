// ptcvm diff: the requests of a corpus on two engines, or on one engine straight and suspended everywhere.
//
// Pieces of the corpus go to `ENGINE batch`, two processes for each piece. An engine that dies, or writes too much, is
// asked again, one request at a time, so that the request that it dies of is found.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iostream>
#include <memory>
#include <thread>

#include "schema/closest_name.h"
#include "tools/ptcvm/batch/answer_difference.h"
#include "tools/ptcvm/batch/batch_members.h"
#include "tools/ptcvm/batch/batch_request.h"
#include "tools/ptcvm/calls/child_process.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/ordered_work.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kRequestsPerPiece = 32;
constexpr std::size_t kMostOutputMegabytes = 64;   // one process may write so much
constexpr std::size_t kShownOfMember = 200;      // a report shows so much of a member

struct DiffRequest {
  std::string a, b, corpus = "-";
  std::vector<std::string> ignored;
  bool requests = false;
  unsigned jobs = 0;
  unsigned timeout_seconds = 60;
};

using Lines = std::vector<std::string>;

// Returns the lines that are not blank, at most so many.
Lines lines_of(std::string_view text, std::size_t most = SIZE_MAX) {
  Lines lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string how_it_ended(const ChildResult& child) {
  switch (child.end) {
    case ChildResult::End::Exited: return "ended with status " + std::to_string(child.code);
    case ChildResult::End::Signalled: return "was ended by signal " + std::to_string(child.code);
    case ChildResult::End::TimedOut: return "took too long";
    case ChildResult::End::TooMuchOutput: return "wrote more than " + std::to_string(kMostOutputMegabytes) + " MiB";
    case ChildResult::End::TooManyErrors:
      return "wrote more than " + std::to_string(kMostOutputMegabytes) + " MiB to its standard error";
    default: return "could not be started";
  }
}

class Difference {
 public:
  explicit Difference(const DiffRequest& request) : request_(request) {}

  // Takes the first line off when it is a header: every process gets it.
  void take_header(Lines& corpus) {
    std::int64_t protocol = 0;
    if (corpus.empty() || !answer_header(corpus.front(), protocol)) return;
    header_ = corpus.front() + '\n';
    corpus.erase(corpus.begin());
  }

  // Returns why an engine cannot be started, or "".
  std::string problem() const {
    for (const std::string& engine : {request_.a, request_.b}) {
      if (engine.empty()) continue;
      const ChildResult child = run_engine(engine, "");
      if (child.end != ChildResult::End::NotStarted) continue;
      return "the engine " + engine + " cannot be started: " + std::strerror(child.code);
    }
    return {};
  }

  // Returns what there is to say about the requests.
  std::string compare(const Lines& requests) {
    const bool is_self = request_.b.empty();
    Lines second = requests;
    if (is_self) {
      for (std::string& line : second) line = suspended_everywhere(line);
    }
    const Lines a = answers(request_.a, requests);
    const Lines b = a.empty() ? Lines() : answers(is_self ? request_.a : request_.b, second);
    std::string report;
    if (b.empty()) {                               // never holds more than the output of one process of each engine
      for (const std::string& line : requests) report += compare({line});
      return report;
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto members = differing_members(a[i], b[i], request_.ignored);
      if (members.empty()) continue;
      ++differing_;
      report += request_.requests ? requests[i] + '\n' : described(requests[i], a[i], b[i], members);
    }
    return report;
  }

  std::size_t differing() const { return differing_; }

 private:
  ChildResult run_engine(const std::string& engine, const std::string& input) const {
    ChildLimits limits;
    limits.max_output_bytes = kMostOutputMegabytes << 20;
    limits.max_thrown_bytes = kMostOutputMegabytes << 20;
    limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(request_.timeout_seconds);
    return run_child({engine, "batch"}, input, limits);
  }

  // Returns one answer for each request, or none at all when some are missing. The only request of a list always has
  // one, which says what became of the engine.
  Lines answers(const std::string& engine, const Lines& requests) const {
    std::string input = header_;
    for (const std::string& line : requests) input += line + '\n';
    ChildResult child = run_engine(engine, input);
    const bool is_too_much = child.end == ChildResult::End::TooMuchOutput;
    Lines given = is_too_much ? Lines() : lines_of(child.output, requests.size() + 2);   // a header and one too many
    std::string().swap(child.output);
    if (!header_.empty() && !given.empty()) given.erase(given.begin());
    if (given.size() == requests.size()) return given;
    if (requests.size() == 1) return {"no answer: the engine " + how_it_ended(child)};
    return {};
  }

  // An answer that is no answer at all is shown as it is, beside the other one.
  static std::string shown(const std::string& answer, const std::string& member) {
    return (member == kWholeAnswer ? answer : member_text(answer, member)).substr(0, kShownOfMember) + '\n';
  }

  static std::string described(const std::string& request, const std::string& a, const std::string& b,
                               const Lines& members) {
    std::string text = member_text(request, "id") + ':';
    for (const std::string& member : members) text += ' ' + member;
    text += '\n';
    for (const std::string& member : members) {
      text += "  A " + member + ": " + shown(a, member);
      text += "  B " + member + ": " + shown(b, member);
    }
    return text;
  }

  const DiffRequest& request_;
  std::string header_;
  std::atomic<std::size_t> differing_ = 0;
};

// Another engine may have members of its own, so a name that ptcvm does not know is no error.
void warn_of_unknown(const std::vector<std::string>& ignored) {
  std::vector<std::string_view> known = {kWholeAnswer};
  for (const BatchMember& member : kBatchMembers) {
    if (member.object == BatchObject::Answer) known.push_back(member.name);
  }
  for (const std::string& name : ignored) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string_view near = ptc::closest_name(name, known);
    complain("warning: --ignore " + name + ": answers of ptcvm have no member of this name" +
             (near.empty() ? "" : ". Did you mean: " + std::string(near) + '?'));
  }
}

int compare_engines(const DiffRequest& request) {
  warn_of_unknown(request.ignored);
  std::string message;
  const auto text = read_file(request.corpus, message);
  if (!text) {
    complain(message);
    return kBadInput;
  }
  Lines corpus = lines_of(*text);
  Difference difference(request);
  if (const std::string problem = difference.problem(); !problem.empty()) {
    complain(problem);
    return kBadInput;
  }
  difference.take_header(corpus);
  const unsigned jobs = request.jobs == 0 ? std::max(std::thread::hardware_concurrency(), 1u) : request.jobs;
  OrderedWork<Lines> work(jobs, [&](Lines& piece) { return difference.compare(piece); }, write_out);
  for (std::size_t i = 0; i < corpus.size(); i += kRequestsPerPiece) {
    const std::size_t end = std::min(i + kRequestsPerPiece, corpus.size());
    const auto at = [&](std::size_t k) { return corpus.begin() + static_cast<std::ptrdiff_t>(k); };
    if (!work.put(Lines(at(i), at(end)))) break;
  }
  if (!work.finish()) return kBadInput;
  std::cerr << corpus.size() << " requests, " << difference.differing() << " with different answers\n";
  return difference.differing() == 0 ? kSuccess : kProgramFailed;
}

}  // namespace

void add_diff_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("diff", "Compare answers of two engines, or of one that is stopped everywhere");
  auto request = std::make_shared<DiffRequest>();
  command->add_option("A", request->a, "An engine: a program that answers like ptcvm when its argument is batch")
      ->required();
  command->add_option("B", request->b, "Another one; without it A runs twice, then with snapshots at every safe point");
  command->add_option("--corpus", request->corpus, "Requests of ptcvm batch, one a line; - for standard input (-)");
  command->add_option("--ignore", request->ignored, "A member of the answers that may differ; can be repeated");
  command->add_flag("--requests", request->requests, "Print the requests whose answers differ, for gen --shrink");
  command->add_option("--jobs", request->jobs, "Pairs of engines that run at once; 0: one a processor")->type_name("N");
  command->add_option("--timeout", request->timeout_seconds, "Seconds for 32 requests (60)");
  command->footer(
      "Status 0: all answers are equal. Status 1: some differ. Status 65: an engine cannot be started. The id,\n"
      "suspensions and max_snapshot_bytes are not compared. An engine may write 64 MiB for 32 requests,\n"
      "and as much to its standard error.\n\n"
      "Examples:\n  ptcvm gen --count 1000 | ptcvm diff old/ptcvm new/ptcvm\n"
      "  ptcvm diff ./ptcvm --corpus requests.jsonl");
  command->callback([request, &status] { status = compare_engines(*request); });
}

}  // namespace ptcvm::cli
