// The limits of a run, made from limits.def: the struct that everything reads them from, and what is known about each.
//
// A limit that no entrance checked can be out of its range; limits_problem() finds it. Behind the entrances every limit
// is in its range.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/fault_kind.h"

namespace ptc {

enum class LimitType : std::uint8_t { U64, U32, I64 };
enum class LimitZero : std::uint8_t { Limit, None };
enum class LimitScope : std::uint8_t { Value, Call, Run, Turn, Host };
enum class LimitPlace : std::uint8_t { Snapshot, Log, Option, Batch };

namespace limit_type {
using U64 = std::uint64_t;
using U32 = std::uint32_t;
using I64 = std::int64_t;
}  // namespace limit_type

// One member for each row, with its default.
struct Limits {
#define LIMIT(name, type, initial, ...) limit_type::type name = initial;
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
  bool operator==(const Limits&) const = default;
};

struct LimitInfo {
  std::string_view name;
  LimitType type{};
  std::uint64_t initial = 0, least = 0, most = 0;
  LimitZero zero{};
  LimitScope scope{};
  std::optional<FaultKind> fault;   // nullopt: passing it is no fault
  int field = 0;                    // in schema/limits.fbs; kLimitInSession: in the table Session
  int member = 0;                   // place in the public structs
  std::string_view unit, doc;
};

inline constexpr int kLimitInSession = -1;

namespace limit_columns {
inline constexpr int InSession = kLimitInSession;
inline constexpr std::optional<FaultKind> NoFault;
#define FAULT(id, name, phase, reach, when) inline constexpr std::optional<FaultKind> id = FaultKind::id;
#include "schema/faults.def"
#undef FAULT

inline constexpr auto kRows = std::to_array<LimitInfo>({
#define LIMIT(name, type, initial, least, most, zero, scope, fault, field, member, unit, doc)                    \
  {#name, LimitType::type, initial, least, most, LimitZero::zero, LimitScope::scope, fault, field, member, unit, doc},
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
});
}  // namespace limit_columns

inline constexpr auto& kLimits = limit_columns::kRows;

// Calls visit(const LimitInfo&, member&) for each limit, in the order of the table.
template <class SomeLimits, class Visit>
void for_each_limit(SomeLimits& limits, Visit visit) {
  std::size_t row = 0;
#define LIMIT(name, ...) visit(kLimits[row++], limits.name);
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
}

// Calls visit(const LimitInfo&, a.member, b.member) for each limit.
template <class SomeLimits, class OtherLimits, class Visit>
void for_each_limit_of(SomeLimits& a, OtherLimits& b, Visit visit) {
  std::size_t row = 0;
#define LIMIT(name, ...) visit(kLimits[row++], a.name, b.name);
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
}

// Returns how the place spelled the limit before the table, or "" if it never spelled it otherwise.
std::string_view earlier_spelling(const LimitInfo& limit, LimitPlace place);

// Returns the limit of that name or of an earlier spelling at the place, or null. "-" and "_" are the same.
const LimitInfo* find_limit(std::string_view name, LimitPlace place);

// Returns the name with "-" for "_", as options and EDN write it.
std::string dashed_name(const LimitInfo& limit);

// Returns "the limit depth must be a whole number from 1 to 4294967295 (calls); found 0".
std::string limit_refusal(const LimitInfo& limit, std::string_view found);

// Sets the limit to a decimal number. Returns "", or the refusal of a text that is no number within the range.
std::string set_limit(Limits& limits, const LimitInfo& limit, std::string_view decimal);

// Returns "", or the refusal of the first limit that is out of its range.
std::string limits_problem(const Limits& limits);

// Returns the smaller of the two for every limit. No limit at all is larger than every number.
Limits smaller(const Limits& a, const Limits& b);

// Returns the largest value of every limit, and 0 where 0 means that there is no limit.
Limits largest_limits();

}  // namespace ptc
