// What a run tells its user while it goes on: prints on standard error, and every event as a line of a trace file
// (docs/tracing.md).
#pragma once
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/run.hpp"

namespace ptcvm::cli {

// Writes the events of one run in this process. Beginning and end of a turn are told by the command, all else by the
// events.
class TraceFile {
 public:
  enum class Mode { Anew, GoOn };   // GoOn: behind what is in the file, for a run that goes on
  // Returns null when the file cannot be written; `message` then says why.
  static std::unique_ptr<TraceFile> open(const std::string& path, Mode mode, std::string run, std::string& message);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void start(std::string_view source_name);
  // Expects a start, which is written before the next event: it may be that nothing runs.
  void expect_start(std::string_view source_name);
  void expect_resume();
  // Holds the lines back until release(); held lines that are not released are not written.
  void hold() { is_held_ = true; }
  void release();
  void event(const Event& event);
  // The turn is over: writes what no event said, because the program did not begin. `value` is the one of the turn, and
  // the outcome needs none.
  void end(const Outcome& outcome, ValueView value);
  // The turn is suspended; `waits_for` are the ids of the operations.
  void suspend(const Outcome& outcome, std::string_view waits_for);
  void wait_for(std::string_view status, std::string_view what);   // suspended for something else than operations
  void warn(std::string_view text);

 private:
  TraceFile(std::FILE* file, std::string run) : file_(file), run_(std::move(run)) {}
  std::int64_t now() const;
  void call(Event end);
  void over(Event end);
  void write(Event event);
  void put(std::string_view line);

  std::FILE* file_;
  std::string run_;
  std::uint64_t last_seq_ = 0;
  struct Expected {
    EventKind kind{};
    std::int64_t unix_micros = 0;
    std::string name;
  };
  std::optional<Expected> expected_;
  bool is_held_ = false, is_fault_ = false, is_over_ = false;
  std::string held_;
  // A time is the system's time when the file was opened, plus what has passed since, so times never go back.
  std::chrono::system_clock::time_point opened_ = std::chrono::system_clock::now();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Prints go to `prints` when their step ends or another event comes: standard error has no buffer, and a system call
// for each of 40,000 prints would take 50 ms. Everything goes to the trace when there is one.
class RunReporter : public Observer {
 public:
  explicit RunReporter(std::FILE* prints) : prints_(prints) {}
  void set_trace(TraceFile* trace) { trace_ = trace; }   // not owned; may be null
  Verdict on_event(const Event& event) override;
  void on_step_end() override { write_prints(); }

 private:
  static constexpr std::size_t kMostUnwritten = 16 << 10;
  void write_prints();

  std::FILE* prints_;
  std::string unwritten_;
  TraceFile* trace_ = nullptr;
};

}  // namespace ptcvm::cli
