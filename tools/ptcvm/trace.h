// The events of a run as lines of JSON: {"ms":1.204,"event":"print","text":"…"}. Events: start, print, tool, commit,
// open and resolve (of operations), end.
#pragma once
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "runtime/outcome.h"
#include "runtime/session.h"

namespace ptcvm {

class TraceFile {
 public:
  // Null when the file cannot be written; `message` then says why.
  static std::unique_ptr<TraceFile> open(const std::string& path, std::string& message);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void start(std::string_view source_name);
  void print(std::string_view text);
  void tool(const ptc::ToolOutcome& call);
  void commit(std::string_view task_id, std::string_view value_edn);
  void open(const ptc::Operation& operation);
  void resolve(const ptc::Operation& operation);
  void end(const ptc::Outcome& outcome);

 private:
  explicit TraceFile(std::FILE* file) : file_(file) {}
  std::string begin_event(std::string_view name) const;
  void write(std::string line);

  std::FILE* file_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Prints go to standard error as they happen; everything goes to the trace when there is one.
class RunReporter : public ptc::SessionObserver {
 public:
  RunReporter(std::FILE* prints, TraceFile* trace) : prints_(prints), trace_(trace) {}
  void on_print(std::string_view text) override;
  void on_tool(const ptc::ToolOutcome& call) override;
  void on_commit(std::string_view task_id, std::string_view value_edn) override;
  void on_open(const ptc::Operation& operation) override;
  void on_resolve(const ptc::Operation& operation) override;

 private:
  std::FILE* prints_;
  TraceFile* trace_;     // may be null
};

}  // namespace ptcvm
