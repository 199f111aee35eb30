// Opens and renews the seals of logs (log_seal.h) in the SQLite store. With a key ring, every log is checked before it
// is read or written: its envelope, and that its facts give the chain of the envelope. A log that was checked before is
// checked from there on; a claim checks a log from its first fact. The check also looks up each key and compares the
// columns beside the bytes, the notable facts and the open calls with the facts, because reading goes by them.
//
// Not sealed: whether a parked run was woken, and how long a claim holds. A changed one lets a run begin late or early.
//
// Without a ring, unsealed logs are as they are, and sealed logs can be read and not written.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/log/log_walk.h"
#include "runtime/log/sqlite/sqlite_tables.h"
#include "vm/value/text_map.h"

namespace ptc {

// Every function is called in a transaction. A failure of the connection is not a refusal.
class SqliteSeals {
 public:
  // `sealer` is null without a ring.
  explicit SqliteSeals(std::shared_ptr<const LogSealer> sealer) : sealer_(std::move(sealer)) {}
  bool has_ring() const { return sealer_ != nullptr; }

  // Checks a log and says in its row what the seal binds. Returns the refusal, if there is one.
  std::optional<StoreError> open(SqliteConnection& connection, RunRow& run, SealCheck extent);
  // Does the same for a log that will be written: without a ring, it refuses one that is sealed.
  std::optional<StoreError> open_to_write(SqliteConnection& connection, RunRow& run, SealCheck extent);
  // Makes the row of a log that has none, and opens it to write.
  std::optional<StoreError> make_run(SqliteConnection& connection, RunRow& run, std::string_view log, SealCheck extent);
  // Checks what is parked in a log that open() has checked.
  std::optional<StoreError> check_parked(const RunRow& run, const std::optional<Parked>& parked) const;
  // Seals what was written.
  std::optional<StoreError> close(SqliteTables& tables, RunRow& run) const;
  // Keeps in mind that the log was written, after its transaction: an older state of the log is refused from now on.
  void written(const RunRow& run);

 private:
  // A log as it was checked last, which is not what this store has written since; and the least that the log must be.
  struct Checked {
    std::vector<std::uint8_t> envelope;
    LogHead head;
    std::uint64_t least_seq = 0, least_token = 0;
    bool is_older(const LogHead& found) const { return found.seq < least_seq || found.token < least_token; }
  };
  StoreResult<LogHead> head_of(SqliteConnection& connection, const RunRow& run) const;
  std::optional<StoreError> walk(SqliteConnection& connection, const RunRow& run, const LogHead& from,
                                 const LogHead& to) const;
  void remember(const RunRow& run);

  const std::shared_ptr<const LogSealer> sealer_;
  TextMap<Checked> checked_;
};

}  // namespace ptc
