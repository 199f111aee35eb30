// Opens and renews the seals of logs (log_seal.h) in the PostgreSQL store, under any number of writers.
//
// A writer knows the log up to a fact and its seal. It signs what the log will be, and the function of the database
// writes only when the log still has that seal, and ends where the writer says (functions.sql): else the answer is that
// the log has changed. Then the writer checks what came since, signs again and asks again. So a log always has the seal
// of its last fact, and nobody signs what he has not checked.
//
// With a ring, a log is checked before it is read or written: from where it was checked before, or from its first fact
// when it is new to this object or was claimed. What this object wrote counts as checked. The seal of a log has the
// token of the newest claim that wrote something: claims sign nothing, because a nonce tells claims apart that got one
// token. A token below that one is refused.
//
// A log of a queue belongs to the tenant of its job, and every other log to the tenant of the sealer.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/log_walk.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/run_queue.h"

namespace ptc {

class PostgresCalls;

// A log whose seal was opened and found right.
struct CheckedLog {
  std::string envelope;          // "" when nobody has sealed the log
  LogHead head;                  // what the envelope says
  bool is_there = false;         // somebody has claimed the log, or written facts
};

// The parameters of a write to a sealed log: the seal before it and after it, and the place of the last fact after it.
struct NextSeal {
  std::string before, after;     // "": none
  LogHead head;                  // what `after` says
};

// Add the parameters of a seal: the one after the write, the one before it, and the place of the last fact after it. ""
// and null mean that there is none. The bytes are borrowed.
PostgresParameters& add_envelope(PostgresParameters& out, const std::string& envelope);
void add_seal(PostgresParameters& out, const NextSeal* seal);

// What became of a write.
enum class SealedWrite : std::uint8_t {
  Changed,       // the log was not what the writer had sealed; nothing was written
  Kept,          // for another reason nothing was written
  Written,
};

// Any number of threads may use one object.
class PostgresSeals {
 public:
  using ReadParked = std::function<StoreResult<std::optional<Parked>>(std::string_view log)>;
  PostgresSeals(PostgresCalls& calls, std::shared_ptr<const LogSealer> sealer, ReadParked read_parked)
      : calls_(calls), sealer_(std::move(sealer)), read_parked_(std::move(read_parked)) {}

  // Checks a log for a reader. Errors: Seal; what the database says.
  StoreResult<CheckedLog> check(std::string_view log) { return checked(log, SealCheck::Rest, nullptr); }
  // Does so for who holds the claim, and returns the head. A log that was there and is gone is refused.
  StoreResult<LogHead> check_to_open(std::string_view log);
  // Does so for a claim: from the first fact. A log that was there and is gone is refused, and so is a ring that cannot
  // sign.
  StoreResult<CheckedLog> check_to_claim(std::string_view log);
  // Returns what is parked in a log, checked.
  StoreResult<std::optional<Parked>> parked(std::string_view log);

  // Makes a write until the log is what it was checked to be. `next` says what the log will be; `may_be_taken` is true
  // when keys of facts may be in the log already. `tenant` is null for the one that the log has.
  using Next = std::function<StoreResult<LogHead>(const LogHead& now, bool may_be_taken)>;
  using Write = std::function<StoreResult<SealedWrite>(const NextSeal& seal)>;
  std::optional<StoreError> write(std::string_view log, const std::string* tenant, const Next& next,
                                  const Write& write);
  // Returns the head after facts were appended. With may_be_taken, those are left out whose keys the log has.
  StoreResult<LogHead> appended(std::string_view log, LogHead head, const FactColumns& facts, bool may_be_taken);

  // Returns the seal of a log that has one fact with these bytes. The tenant "" is the sealer's, here and below.
  StoreResult<std::string> of_new_log(std::string_view log, std::string_view tenant, std::string_view body) const;
  // Returns the seal of a schedule, whose job begins with the bytes `start`.
  StoreResult<std::string> of_schedule(const ScheduleRow& row, std::string_view start) const;
  // Returns the refusal of a schedule, if there is one.
  std::optional<StoreError> check_schedule(const ScheduleRow& row, std::string_view start,
                                           std::string_view envelope) const;

  void claimed(std::string_view log, std::uint64_t token);   // after check_to_claim()
  // A queue gave a claim to this object: the log is checked from its first fact when it is read next.
  void claimed_by_queue(std::string_view log, std::uint64_t token, std::string_view tenant);
  void finished(std::string_view log);                       // that claim was given back
  void forget(std::string_view log);                         // the log was removed

 private:
  // A log as it was checked last.
  struct Known {
    std::string envelope;
    LogHead head;
    Digest first{};                      // the chain after the first fact
    std::int64_t started_ms = 0;         // the time of that fact
    std::uint64_t least_token = 0;
    bool is_claimed = false;             // check it from its first fact
  };
  // A log as the database has it.
  struct Row {
    std::string envelope;
    std::uint64_t token = 0, head = 0;
    std::vector<std::uint64_t> open_calls;
  };
  using MaybeRow = std::optional<Row>;
  LogSealer sealer_of(std::string_view log, const std::string* tenant) const;
  LogSealer sealer_for(std::string_view tenant) const;
  std::optional<Known> known(std::string_view log) const;
  void remember(std::string_view log, Known checked, const std::optional<Known>& before);
  StoreResult<MaybeRow> row_of(std::string_view log) const;
  StoreResult<LogHead> head_in(std::string_view log, const Row& row, const LogSealer& sealer) const;
  StoreResult<CheckedLog> checked(std::string_view log, SealCheck extent, const std::string* tenant);
  StoreResult<Known> check_row(std::string_view log, const Row& row, const std::optional<Known>& before,
                               bool from_first, const LogHead& head);
  StoreResult<Known> walked(std::string_view log, const Row& row, const Known& from, const LogHead& to) const;
  std::optional<StoreError> walk_pages(std::string_view log, LogWalk& walk, Known& out, std::uint64_t to) const;
  std::optional<StoreError> check_parked(std::string_view log, const LogHead& sealed) const;
  void written(std::string_view log, const NextSeal& seal);

  PostgresCalls& calls_;
  const std::shared_ptr<const LogSealer> sealer_;
  const ReadParked read_parked_;
  mutable std::mutex mutex_;
  std::map<std::string, Known, std::less<>> known_;            // under mutex_
  std::map<std::string, std::string, std::less<>> tenants_;    // of logs that a queue gave; under mutex_
};

}  // namespace ptc
