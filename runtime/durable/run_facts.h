// Folds the outbox of a session into the facts of its log: commits, resets, opened operations, verdicts. The facts wait
// here until write() puts them into the log in one transaction; after that the host's reader gets the items. So the log
// knows everything before anybody outside can see it.
//
// A program that runs again from the top reaches its own resets again: until then it sees the values that its tasks
// had before them. So the epoch of a task, as the program sees it, is counted here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/log/log_writer.h"
#include "runtime/session/session.h"

namespace ptc {

class RunFacts final : public OutboxReader {
 public:
  // `host` may be null. Neither is owned.
  RunFacts(LogWriter& writer, OutboxReader* host) : writer_(writer), host_(host) {}

  // Begins with a session that is where the log was at `seq`; 0: at the top.
  void attend(Session& session, std::uint64_t seq);
  // Lets go of the session, and of everything that was not written.
  void leave();

  void read(OutboxItem item) override;
  // Adds a fact that belongs into the next transaction.
  void stage(Fact fact) { staged_.push_back(std::move(fact)); }
  bool has_staged() const { return !staged_.empty(); }
  // Ignores what the session does from now on: its program is to begin anew.
  void freeze() { is_frozen_ = true; }

  // Writes what was staged, in one transaction. Returns false when the writer is stopped; answers that came after the
  // run was lost are then kept as late_answers.h says.
  bool write(Durability durability = Durability::AsMode);
  std::size_t late_answers() const { return late_answers_; }   // how many of them the log has taken
  // Gives the host the items that were read since the last time.
  void tell_host();

  std::uint64_t epoch(std::string_view task) const;
  LogWriter::FoundTask found(std::string_view task) const { return writer_.task(task, epoch(task)); }

 private:
  void refuse(const std::vector<Fact>& facts);
  void commit(const OutboxItem& item);
  void reset(const OutboxItem& item);
  void open(const OutboxItem& item);
  void judge(const OutboxItem& item);
  void check_ends(const std::vector<Fact>& written, const std::vector<Put>& puts);

  LogWriter& writer_;
  OutboxReader* const host_;
  Session* session_ = nullptr;
  std::uint64_t begin_seq_ = 0;
  bool is_frozen_ = false;
  TextMap<std::uint64_t> own_resets_;       // by task: resets by the program since it began
  TextMap<std::uint64_t> staged_resets_;    // by task: resets that are not in the log yet
  struct StagedCommit {
    std::string task;
    std::uint64_t epoch = 0;
  };
  void check_commit(const StagedCommit& commit, const Fact& told, bool is_first);
  void take(const std::vector<Fact>& written, const std::vector<Put>& puts);

  std::vector<Fact> staged_;
  std::vector<StagedCommit> staged_commits_;   // in the order of their facts
  std::vector<OutboxItem> for_host_;
  std::size_t late_answers_ = 0;
};

}  // namespace ptc
