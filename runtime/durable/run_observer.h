// Writes down what happens in a session that has a log: commits, resets, opened operations. Then tells the host.
//
// A program that runs again from the top comes to its own resets again: until then it sees what its tasks came to
// before them. So the epoch of a task, as the program sees it, is counted here.
#pragma once
#include "runtime/log/log_writer.h"
#include "runtime/session/session.h"

namespace ptc {

class RunObserver final : public SessionObserver {
 public:
  RunObserver(LogWriter& writer, SessionObserver* host) : writer_(writer), host_(host) {}

  // The session is where the log was at `seq`; 0: at the top.
  void attend(Session& session, std::uint64_t seq) {
    session_ = &session;
    begin_seq_ = seq;
    own_resets_.clear();
  }
  std::uint64_t epoch(std::string_view task) const;
  LogWriter::FoundTask found(std::string_view task) const { return writer_.task(task, epoch(task)); }   // for it

  bool wants_whole_values() const override { return true; }
  void on_print(std::string_view text) override;
  void on_tool(const ToolOutcome& call) override;
  void on_begin() override;
  void on_step(SessionStep step) override;
  void on_tool_start(const ToolNotice& notice) override;
  void on_tool_end(const ToolNotice& notice) override;
  void on_retry(const ToolNotice& notice, std::uint64_t attempt, std::int64_t pause_ms) override;
  void on_commit_value(std::string_view id, Value borrowed) override;
  void on_summary(const StepSummary& step) override;
  void on_approval(std::string_view key, const Approval& approval) override;
  void on_commit(std::string_view id, std::string_view value_edn) override { commit(id, value_edn, false); }
  void on_return(std::string_view id, std::string_view value_edn) override { commit(id, value_edn, true); }
  void on_reset(std::string_view id, std::string_view reason) override;
  void on_open(const Operation& operation) override;
  void on_resolve(const Operation& operation) override;

 private:
  void commit(std::string_view id, std::string_view value_edn, bool returned);

  LogWriter& writer_;
  SessionObserver* const host_;   // may be null
  Session* session_ = nullptr;
  std::uint64_t begin_seq_ = 0;
  TextMap<std::uint64_t> own_resets_;
};

}  // namespace ptc
