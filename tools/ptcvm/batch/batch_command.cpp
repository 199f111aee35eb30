// ptcvm batch: a stream of requests, a stream of answers in the same order.
//
// With several jobs one thread reads, N answer, one writes (ordered_work.h).
#include <unistd.h>

#include <array>
#include <thread>

#include "tools/ptcvm/batch/batch_members.h"
#include "tools/ptcvm/batch/batch_request.h"
#include "tools/ptcvm/batch/batch_tools.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/line_source.h"
#include "tools/ptcvm/process/ordered_work.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMaxLineBytes = 64u << 20;
constexpr std::size_t kFlushBytes = 1u << 16;
constexpr unsigned kMaxJobs = 256;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

std::string answer_line(const Engine& engine, const LiveTools& live, const std::string& line, bool too_long,
                        std::int64_t protocol) {
  return too_long ? refuse_request("the line is too long") : answer_request(engine, line, protocol, live);
}

// Reads the first line that is not blank. A header is answered at once, and `line` is then empty. Returns false when
// the stream ends there: it is empty, or of a protocol that is not spoken.
bool read_first(LineSource& lines, std::string& line, bool& too_long, bool& good, std::int64_t& protocol) {
  for (;;) {
    const LineSource::Next next = lines.next(line);
    if (next == LineSource::Next::End) return false;
    too_long = next == LineSource::Next::TooLong;
    if (too_long || !is_blank(line)) break;
  }
  const auto greeting = too_long ? std::nullopt : answer_header(line, protocol);
  if (!greeting) return true;
  line.clear();
  good = write_out(*greeting + '\n') && protocol != 0;
  return good;
}

int run_inline(const Engine& engine, const LiveTools& live) {
  LineSource lines(STDIN_FILENO, kMaxLineBytes);
  std::string line, out;
  bool too_long = false, good = true;
  std::int64_t protocol = 1;
  if (!read_first(lines, line, too_long, good, protocol)) return good ? kSuccess : kBadInput;
  for (bool is_first = true;; is_first = false) {
    LineSource::Next next = too_long ? LineSource::Next::TooLong : LineSource::Next::Line;
    if (!is_first) next = lines.next(line);
    if (next == LineSource::Next::End) break;
    if (next == LineSource::Next::Line && is_blank(line)) continue;
    out += answer_line(engine, live, line, next == LineSource::Next::TooLong, protocol);
    out += '\n';
    if (out.size() < kFlushBytes && lines.has_line()) continue;
    if (!write_out(out)) return kBadInput;
    out.clear();
  }
  return write_out(out) ? kSuccess : kBadInput;
}

struct BatchLine {
  std::string text;
  bool too_long = false;
};

int run_parallel(const Engine& engine, const LiveTools& live, unsigned jobs) {
  LineSource lines(STDIN_FILENO, kMaxLineBytes);
  std::string line;
  bool too_long = false, good = true;
  std::int64_t protocol = 1;
  if (!read_first(lines, line, too_long, good, protocol)) return good ? kSuccess : kBadInput;
  OrderedWork<BatchLine> work(
      jobs,
      [&engine, &live, protocol](BatchLine& asked) {
        return answer_line(engine, live, asked.text, asked.too_long, protocol) + '\n';
      },
      write_out);
  for (bool is_first = true;; is_first = false) {
    LineSource::Next next = too_long ? LineSource::Next::TooLong : LineSource::Next::Line;
    if (!is_first) next = lines.next(line);
    if (next == LineSource::Next::End) break;
    if (next == LineSource::Next::Line && is_blank(line)) continue;
    if (!work.put({std::move(line), next == LineSource::Next::TooLong})) break;
  }
  return work.finish() ? kSuccess : kBadInput;
}

std::optional<LiveTools> read_live(const std::vector<std::string>& paths) {
  std::string message;
  const auto tools = BatchTools::read(paths, message);
  if (!tools) complain(message);
  if (!tools) return std::nullopt;
  LiveTools live;
  live.add_to = [tools = *tools](Tools& into) { tools.add_to(into); };
  for (const std::string& path : paths) live.arguments.insert(live.arguments.end(), {"--tools", path});
  return live;
}

int run_batch(unsigned jobs, const std::vector<std::string>& tools) {
  const auto live = read_live(tools);
  if (!live) return kBadInput;
  const Engine engine;
  if (jobs <= 1) return run_inline(engine, *live);
  return run_parallel(engine, *live, jobs);
}

int run_hop(const std::vector<std::string>& tools) {
  const auto live = read_live(tools);
  if (!live) return kBadInput;
  const Engine engine;
  std::string input;
  std::array<char, 1u << 16> buffer;
  for (ssize_t count = 0; (count = ::read(STDIN_FILENO, buffer.data(), buffer.size())) > 0;) {
    input.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return write_out(answer_hop(engine, *live, input)) ? kSuccess : kBadInput;
}

std::shared_ptr<std::vector<std::string>> declare_tools(CLI::App& command) {
  auto tools = std::make_shared<std::vector<std::string>>();
  command.add_option("--tools", *tools, "A file of tools that every request may call; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  return tools;
}

}  // namespace

void add_batch_hop_command(CLI::App& app, int& status) {
  auto* hop = app.add_subcommand("batch-hop", "One step of a batch request that asks for fresh processes")->group("");
  const auto tools = declare_tools(*hop);
  hop->callback([tools, &status] { status = run_hop(*tools); });
}

void add_batch_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("batch", "Answer a stream of requests: one JSON object a line, answers in order");
  auto jobs = std::make_shared<unsigned>(1);
  auto schema = std::make_shared<bool>(false);
  command->add_option("--jobs", *jobs, "Threads that answer; 0: one a processor")->type_name("N");
  const auto tools = declare_tools(*command);
  command->add_flag("--schema", *schema, "Print the JSON Schema of requests and answers, and read nothing");
  command->footer(
      R"text(A request has id and source, and may have data, memory, journal and history as JSON, or context_edn,
memory_edn, journal_edn and history_edn as EDN, and opts, limits, tool_defs and tools (recorded answers). "values":
"json" asks for JSON in the answer, "diagnostics": "rendered" for the text of a fault for people. Members that are
unknown are refused.
An answer has id, status, value_edn, error_kind, message, line, column, hint, prints, memory_edn, journal_edn,
summaries, tool_calls, warnings and fuel. The first line may name the version: {"protocol": 2}. docs/batch.md has
every member.

A tool with "async": true or "auto" in tool_defs gets its recorded answer when the program waits, together with all
others, in the order of resolve_order: "fifo", "lifo" or the seed of a shuffle. Sleeps and time limits pass at once. A
program that waits for what never comes has status "suspended" and a list "pending"; one that is over while operations
wait lists their ids in "outstanding".

Examples:
  echo '{"id":1,"source":"(+ 1 2)"}' | ptcvm batch
  ptcvm batch --jobs 4 < requests.jsonl > answers.jsonl
  ptcvm batch --tools tools.json < requests.jsonl
  ptcvm batch --schema > batch.schema.json)text");
  command->callback([jobs, schema, tools, &status] {
    if (*schema) {
      status = write_out(batch_schema()) ? kSuccess : kBadInput;
      return;
    }
    const unsigned wanted = *jobs == 0 ? std::thread::hardware_concurrency() : *jobs;
    status = run_batch(std::min(std::max(wanted, 1u), kMaxJobs), *tools);
  });
}

}  // namespace ptcvm::cli
