// The members of the batch protocol, from batch_members.def.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace ptcvm::cli {

enum class BatchObject : std::uint8_t {
  Header, Request, Options, ToolDef, Recorded, Greeting, Answer, Frame, Call, Waiting
};

struct BatchMember {
  BatchObject object;
  std::string_view name, type, doc;
};

inline constexpr auto kBatchMembers = std::to_array<BatchMember>({
#define MEMBER(object, name, type, doc) {BatchObject::object, name, type, doc},
#include "tools/ptcvm/batch/batch_members.def"
#undef MEMBER
});

// Two members for one value, which nobody gives both.
struct BatchTwins {
  BatchObject object;
  std::string_view json, edn;
};

inline constexpr auto kBatchTwins = std::to_array<BatchTwins>({
#define TWINS(object, json, edn) {BatchObject::object, json, edn},
#include "tools/ptcvm/batch/batch_members.def"
#undef TWINS
});

// The newest version of the protocol. Streams without a header use version 1, which has the same members.
inline constexpr std::int64_t kBatchProtocol = 2;

// Returns why a member of `given` is refused, or "" when the table knows all of them. With `only_slips` a member counts
// only when its name is close to one of the table.
std::string unknown_member(BatchObject object, const boost::json::object& given, bool only_slips = false);

// Returns the JSON Schema of requests and answers.
std::string batch_schema();

}  // namespace ptcvm::cli
