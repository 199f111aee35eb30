// ptcvm batch: a stream of requests, a stream of answers in the same order.
//
// With several jobs one thread reads, N answer, one writes. Requests in work are bounded (a ring of slots), so that a
// slow request holds back reading and not memory. Slot i of the ring is written by the reader, then by one worker, then
// read by the writer; `state` says whose turn it is.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/ptcvm/batch_request.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/line_source.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMaxLineBytes = 64u << 20;
constexpr std::size_t kFlushBytes = 1u << 16;
constexpr std::size_t kSlotsPerJob = 32;
constexpr unsigned kMaxJobs = 256;

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

std::string answer_line(const Engine& engine, const std::string& line, bool too_long) {
  return too_long ? refuse_request("the line is too long") : answer_request(engine, line);
}

int run_inline(const Engine& engine) {
  LineSource lines(STDIN_FILENO, kMaxLineBytes);
  std::string line, out;
  for (;;) {
    const LineSource::Next next = lines.next(line);
    if (next == LineSource::Next::End) break;
    if (next == LineSource::Next::Line && is_blank(line)) continue;
    out += answer_line(engine, line, next == LineSource::Next::TooLong);
    out += '\n';
    if (out.size() < kFlushBytes && lines.has_line()) continue;
    if (!write_all(out)) return kBadInput;
    out.clear();
  }
  return write_all(out) ? kSuccess : kBadInput;
}

class ParallelBatch {
 public:
  ParallelBatch(const Engine& engine, unsigned jobs) : engine_(engine), slots_(jobs * kSlotsPerJob) {
    for (unsigned i = 0; i < jobs; ++i) workers_.emplace_back([this] { work(); });
    writer_ = std::thread([this] { write(); });
  }

  int run() {
    LineSource lines(STDIN_FILENO, kMaxLineBytes);
    std::string line;
    for (;;) {
      const LineSource::Next next = lines.next(line);
      if (next == LineSource::Next::End) break;
      if (next == LineSource::Next::Line && is_blank(line)) continue;
      if (!put(std::move(line), next == LineSource::Next::TooLong)) break;
    }
    finish();
    return failed_ ? kBadInput : kSuccess;
  }

 private:
  struct Slot {
    enum class State { Free, Asked, InWork, Answered } state = State::Free;
    std::string text;            // the request, then the answer
    bool too_long = false;
  };

  Slot& slot(std::size_t number) { return slots_[number % slots_.size()]; }

  bool put(std::string text, bool too_long) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return failed_ || slot(asked_).state == Slot::State::Free; });
    if (failed_) return false;
    Slot& target = slot(asked_++);
    target.text = std::move(text);
    target.too_long = too_long;
    target.state = Slot::State::Asked;
    asking_.notify_one();
    return true;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      asking_.wait(lock, [&] { return taken_ < asked_ || ended_; });
      if (taken_ == asked_) return;
      Slot& mine = slot(taken_++);
      mine.state = Slot::State::InWork;
      lock.unlock();
      mine.text = answer_line(engine_, mine.text, mine.too_long);
      mine.text += '\n';
      lock.lock();
      mine.state = Slot::State::Answered;
      answered_.notify_one();
    }
  }

  void write() {
    std::unique_lock lock(mutex_);
    std::string out;
    for (;;) {
      answered_.wait(lock,
                     [&] { return slot(written_).state == Slot::State::Answered || (ended_ && written_ == asked_); });
      if (slot(written_).state != Slot::State::Answered) return;
      while (slot(written_).state == Slot::State::Answered && out.size() < kFlushBytes) {
        Slot& done = slot(written_++);
        out += done.text;
        done.text.clear();
        done.state = Slot::State::Free;
      }
      freed_.notify_one();
      if (failed_) {
        out.clear();
        continue;
      }
      lock.unlock();
      const bool good = write_all(out);
      out.clear();
      lock.lock();
      if (!good) {
        failed_ = true;
        freed_.notify_one();
      }
    }
  }

  void finish() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    asking_.notify_all();
    answered_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    answered_.notify_all();
    writer_.join();
  }

  const Engine& engine_;
  std::mutex mutex_;
  std::condition_variable freed_, asking_, answered_;
  std::vector<Slot> slots_;
  std::size_t asked_ = 0, taken_ = 0, written_ = 0;     // requests so far
  bool ended_ = false, failed_ = false;
  std::vector<std::thread> workers_;
  std::thread writer_;
};

int run_batch(unsigned jobs) {
  const Engine engine;
  if (jobs <= 1) return run_inline(engine);
  return ParallelBatch(engine, jobs).run();
}

int run_hop() {
  const Engine engine;
  std::string input;
  std::array<char, 1u << 16> buffer;
  for (ssize_t count = 0; (count = ::read(STDIN_FILENO, buffer.data(), buffer.size())) > 0;) {
    input.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return write_all(answer_hop(engine, input)) ? kSuccess : kBadInput;
}

}  // namespace

void add_batch_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("batch", "Answer a stream of requests: one JSON object a line, answers in order");
  auto jobs = std::make_shared<unsigned>(1);
  command->add_option("--jobs", *jobs, "Threads that answer; 0: one a processor")->type_name("N");
  command->footer(
      R"text(A request has id and source, and may have context_edn, memory_edn, journal_edn, history_edn, opts, limits,
tool_defs and tools (recorded answers). An answer has id, status, value_edn, error_kind, message, line, column,
hint, prints, memory_edn, journal_edn, summaries, tool_calls, warnings and fuel.

A tool with "async": true or "auto" in tool_defs gets its recorded answer when the program waits, together with all
others, in the order of resolve_order: "fifo", "lifo" or the seed of a shuffle. Sleeps and time limits pass at once. A
program that waits for what never comes has status "suspended" and a list "pending"; one that is over while operations
wait lists their ids in "outstanding".

Examples:
  echo '{"id":1,"source":"(+ 1 2)"}' | ptcvm batch
  ptcvm batch --jobs 4 < requests.jsonl > answers.jsonl)text");
  auto* hop = app.add_subcommand("batch-hop", "One step of a batch request that asks for fresh processes")->group("");
  hop->callback([&status] { status = run_hop(); });
  command->callback([jobs, &status] {
    const unsigned wanted = *jobs == 0 ? std::thread::hardware_concurrency() : *jobs;
    status = run_batch(std::min(std::max(wanted, 1u), kMaxJobs));
  });
}

}  // namespace ptcvm::cli
