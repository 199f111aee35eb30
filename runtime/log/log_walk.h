// Checks the facts of a log against its seal (log_seal.h), for stores that keep the columns by which they find facts
// beside the bytes of the facts.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/log/log_seal.h"
#include "runtime/log/open_calls.h"

namespace ptc {

enum class SealCheck : std::uint8_t {
  Rest,          // check what came since the log was checked before
  Whole,         // check the log from its first fact
};

// Each returns the refusal of a log.
StoreError fact_changed(std::string_view log, const std::string& what);
StoreError fact_missing(std::string_view log, std::uint64_t seq);
StoreError parked_changed(std::string_view log);
StoreError claim_changed(std::string_view log);
StoreError not_sealed(std::string_view log);
StoreError keys_needed(std::string_view log);
StoreError rolled_back(std::string_view log);

// A fact as a table has it.
struct WalkedFact {
  std::uint64_t seq = 0;
  std::span<const std::uint8_t> body;        // what fact_bytes() gave
  std::optional<std::string_view> key;       // what the index has; nullopt: nothing
  std::int64_t rank = 0, time_ms = 0;
};

// Goes along the facts of a log and makes its chain again. `from` is what is known to be right: a walk from zeros is
// one from the first fact.
class LogWalk {
 public:
  LogWalk(std::string_view log, const LogHead& from) : log_(log), from_(from.seq), seq_(from.seq), chain_(from.chain) {}

  // Takes the next row. `fact` is what its bytes say, or nullopt when they say nothing; `key` is what the index should
  // have for it. Returns the refusal, if there is one.
  std::optional<StoreError> take(const WalkedFact& row, const std::optional<Fact>& fact,
                                 std::optional<std::string_view> key);
  // Compares the end of the walk with what was sealed. After a walk from the first fact, also what reading goes by
  // besides: the places of the notable facts and of the open calls.
  std::optional<StoreError> end(const LogHead& to) const;
  std::optional<StoreError> compare_notable(std::span<const std::uint64_t> places) const;
  std::optional<StoreError> compare_open(std::span<const std::uint64_t> places) const;

  bool is_whole() const { return from_ == 0; }
  std::uint64_t seq() const { return seq_; }

 private:
  const std::string_view log_;
  const std::uint64_t from_;
  std::uint64_t seq_;
  Digest chain_;
  std::vector<std::uint64_t> notable_;
  OpenCalls open_;
};

}  // namespace ptc
