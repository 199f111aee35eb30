// Checks arguments that every store must refuse, whatever the store holds. For authors of stores.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

// Each function returns Misuse, or nullopt when the argument is fine.
std::optional<StoreError> check_log(std::string_view log);
std::optional<StoreError> check_put(std::string_view log, Cut cut, std::span<const Fact> facts);
std::optional<StoreError> check_resume_or_end(std::string_view log, Cut cut, std::span<const Fact> facts);
std::optional<StoreError> check_end_job(std::string_view log, Cut cut, const Fact& end);
std::optional<StoreError> check_decide(std::string_view log, Cut cut, std::span<const Fact> facts);
std::optional<StoreError> check_park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run);
std::optional<StoreError> check_depart(std::string_view log, Cut cut, const Fact& moved);
std::optional<StoreError> check_arrival(const Arrival& run);
std::optional<StoreError> check_claim(std::string_view log, std::string_view owner, std::int64_t lease_ms);
std::optional<StoreError> check_lease(std::int64_t lease_ms);
// Returns whether a claim that was not given back still holds: its lease is not over, or its holder is surely alive
// (living_claims.h). `dead` is what FactStore::claim() got.
bool claim_holds(std::string_view log, const Claim& held, std::int64_t now_ms, std::optional<std::uint64_t> dead);
// These need the head of the log. A blind cut may be handed to the first one, not to the second.
std::optional<StoreError> check_cut(std::uint64_t head, Cut cut);
std::optional<StoreError> check_seen(std::uint64_t head, std::uint64_t seq);

// Returns whether a run is in another store.
bool has_left(LogState state);
// Returns the runs of which a log of this name is a part, the nearest one first: RUN/… belongs to RUN.
std::vector<std::string> wholes_of(std::string_view log);
// Returns the error RunMoved. `place` is where the run is, as people name it, or "".
StoreError run_moved(std::string_view log, std::string_view place);
// Returns the error RunIsCopy: a job of that id was wanted.
StoreError copy_is_no_job(std::string_view log);
// Returns the error RunOrdered.
StoreError run_has_order(std::string_view log);
// Returns whether a parked run is woken by these facts, which are in order.
bool is_woken_by(const Parked& parked, std::span<const Fact> facts);

// Returns whether a fact is the end of a turn after which a run is over, and whether the last of several is.
bool ends_well(const Fact& fact);
bool ends_well(std::span<const Fact> facts);
// Returns whether a fact of this kind outdates decisions that had not seen it.
bool outdates_decisions(FactKind kind);
// Returns whether a fact says something about its run as a whole, and not only about one task or call with a key of its
// own. All facts that outdate decisions do.
bool is_notable(FactKind kind);
// Returns what the column `rank` of a store in tables says about a kind: 0; 1 notable; 2 notable, and makes decisions
// out of date.
std::int64_t rank_of(FactKind kind);
bool has_decision(std::span<const Fact> facts);
std::int64_t lease_end(std::int64_t now_ms, std::int64_t lease_ms);   // at most the last possible moment

}  // namespace ptc
