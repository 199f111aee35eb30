// What a run tells its user while it goes on: prints on standard error, and every event as a line of a trace file
// (runtime/trace/trace_event.h).
#pragma once
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "runtime/session/outcome.h"
#include "runtime/session/session.h"
#include "runtime/trace/trace_event.h"

namespace ptcvm::cli {

class TraceFile {
 public:
  enum class Mode { Anew, GoOn };   // GoOn: behind what is in the file, for a run that goes on
  // Null when the file cannot be written; `message` then says why.
  static std::unique_ptr<TraceFile> open(const std::string& path, Mode mode, std::string run, std::string& message);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void start(std::string_view source_name);
  // What is expected is written before the next event: it may be that nothing runs.
  void expect_start(std::string_view source_name);
  void expect_resume();
  void print(std::string_view text);
  void item(const ptc::OutboxItem& item);   // writes the lines of an item of the outbox
  void end(const ptc::Outcome& outcome);       // the turn is over, or suspended
  void wait_for(std::string_view status, std::string_view what);   // suspended for something else than operations
  void warn(std::string_view text);

 private:
  TraceFile(std::FILE* file, std::string run) : file_(file), run_(std::move(run)) {}
  std::int64_t now() const;
  ptc::TraceEvent event(ptc::TraceKind kind) const;
  ptc::TraceEvent call_event(ptc::TraceKind kind, const ptc::OutboxItem& item) const;
  void call(const ptc::OutboxItem& item);
  void operation(const ptc::OutboxItem& item);
  void fault(const ptc::OutcomeFault& fault);
  void write(ptc::TraceEvent event);

  std::FILE* file_;
  std::string run_;
  std::uint64_t last_seq_ = 0;
  std::optional<ptc::TraceEvent> expected_;
  // Times are those of the system when the file was opened and what has passed since, so they never go back.
  std::chrono::system_clock::time_point opened_ = std::chrono::system_clock::now();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Prints go to `prints` as they happen; everything goes to the trace when there is one.
class RunReporter : public ptc::OutboxReader {
 public:
  RunReporter(std::FILE* prints, TraceFile* trace) : prints_(prints), trace_(trace) {}
  void read(ptc::OutboxItem item) override;

 private:
  std::FILE* prints_;
  TraceFile* trace_;     // may be null
};

}  // namespace ptcvm::cli
