// Opens a durable run: claims it, reads its log, looks after calls that nobody knows about, and finds the session with
// which the run goes on: the one that was parked, or a new one that runs the program from the top against the log.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/durable/durable_options.h"
#include "runtime/durable/effect_facts.h"
#include "runtime/durable/run_facts.h"
#include "runtime/log/log_writer.h"
#include "runtime/session/session.h"

namespace ptc {

// Returns the name under which the run is parked by the claim of the writer.
std::string continuation_name(const LogWriter& writer);

// Belongs to a DurableRun, whose parts it works on.
class RunOpening {
 public:
  RunOpening(const Engine& engine, std::shared_ptr<const ToolRegistry> tools, std::string source,
             const DurableOptions& options, LogWriter& writer, RunFacts& facts, DurableOutcome& out)
      : engine_(engine), tools_(std::move(tools)), source_(std::move(source)), options_(options), writer_(writer),
        facts_(facts), out_(out) {}

  // Claims the run and returns its session. Returns null when there is nothing to drive: the outcome says why, or the
  // writer is stopped.
  std::unique_ptr<Session> open();
  // Returns a session that begins again, after the whole log was read.
  std::unique_ptr<Session> open_with_whole_log();
  // Parks the run until a person has said what became of these calls. Returns false when somebody has said something
  // meanwhile, or the writer is stopped.
  bool park_in_doubt(std::vector<LoggedEffect> doubts);

  // Returns whether the session was parked, and waits.
  bool is_resumed() const { return is_resumed_; }
  // Returns whether the program met a task whose value holds functions: it must begin again with the whole log.
  bool needs_whole_log() const { return needs_whole_; }
  // Returns whether the definitions of the turn are there in the next one.
  bool keeps_session() const { return keeps_session_; }
  // Returns whether something was parked when the turn went on or began.
  bool had_parked() const { return had_parked_; }
  // Returns the session between two turns, as it was found or rebuilt, when sessions are kept; else empty.
  const std::vector<std::uint8_t>& idle_session() const { return idle_; }

 private:
  const RunLog& log() const { return writer_.log(); }
  bool is_same_source() const { return log().last_start() && log().last_start()->source == source_; }
  bool open_log();
  bool is_done() const;
  std::uint64_t turn() const;
  void answer_again();
  bool refuse(std::string message);
  bool settle_doubts();
  bool has_tools_of_open_calls();
  bool set_plan();
  bool begin();
  bool rebuild_definitions(std::unique_ptr<Session>& session);
  bool refuse_without_definitions(const std::string& why);
  SessionRestore restore_options() const;
  bool continue_as(std::unique_ptr<Session> session, std::uint64_t observed_seq);
  EpochOf epoch_of();
  void attend(std::uint64_t seq);
  ToolHooks hooks();
  SessionJournal::TaskText look_up(std::string_view id);
  bool from_the_top(std::unique_ptr<Session> session);
  bool begin_turn(std::shared_ptr<const Program> program);
  bool note_start();
  std::optional<std::string> load();
  std::unique_ptr<Session> taken();

  const Engine& engine_;
  const std::shared_ptr<const ToolRegistry> tools_;
  const std::string source_;
  const DurableOptions& options_;
  LogWriter& writer_;
  RunFacts& facts_;
  DurableOutcome& out_;
  std::unique_ptr<Session> session_;
  std::vector<std::uint8_t> idle_;
  bool is_resumed_ = false, needs_whole_ = false, was_kept_ = false, keeps_session_ = false, needs_reasons_ = false;
  bool had_parked_ = false;             // something is parked while the turn begins
};

}  // namespace ptc
