// The members of a JSON object in a batch request. null is the same as absent.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/tools.hpp"
#include "schema/limits.h"
#include "tools/ptcvm/batch/batch_members.h"
#include "tools/ptcvm/program/recorded_tools.h"

namespace ptcvm::cli {

// Returns the number as a signed or unsigned integer of 64 bits, also when it is written as 5.0 or 1e3, which are
// integers for JSON Schema; nullopt for everything else.
std::optional<boost::json::value> whole_number(const boost::json::value& value);

// Reads members of known kinds. Remembers the first thing that is wrong in `problem`, and reads on.
class BatchFields {
 public:
  // Both must outlive the fields.
  BatchFields(const boost::json::object& object, std::string& problem) : object_(object), problem_(problem) {}

  const boost::json::value* find(std::string_view name) const;
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<boost::json::value> whole(std::string_view name) const;   // whole_number() of a member
  std::string_view name_in(std::string_view list) const;   // the member "name" of an entry of the list; refuses none
  // Remembers a member that the object of the protocol does not have.
  void refuse_unknown(BatchObject object) const;
  // Does so for a request: in version 1 only when the name looks like a slip of a known one.
  void refuse_unknown_request(std::int64_t protocol) const;
  // Returns the EDN text of a value that is given as EDN in `edn` or as JSON in `json`, and not as both.
  std::optional<std::string> edn(std::string_view edn, std::string_view json) const;
  bool one_of(std::string_view name, std::string_view usual, std::string_view other) const;   // whether it is `other`
  bool flag(std::string_view name) const;
  ToolMode tool_mode(std::string_view name) const;                  // true, false or "auto"
  Effect effect(std::string_view name) const;                       // a name; unsafe when the member is missing
  ResolveOrder resolve_order(std::string_view name) const;          // "fifo", "lifo" or the seed of a shuffle
  std::optional<std::int64_t> time(std::string_view name) const;    // milliseconds since 1970
  std::optional<std::uint64_t> decimals(std::string_view name) const;
  void limit(std::string_view name, const ptc::LimitInfo& limit, ptc::Limits& limits) const;
  const boost::json::object* object(std::string_view name) const;
  // Calls `each` with the fields of every element of a list of objects.
  void objects(std::string_view name, const auto& each) const {
    const boost::json::array* const list = objects(name);
    if (list == nullptr) return;
    for (const boost::json::value& element : *list) {
      const boost::json::object* const found = element.if_object();
      if (found == nullptr) return refuse(name, "a list of objects");
      each(BatchFields(*found, problem_));
    }
  }

 private:
  const boost::json::array* objects(std::string_view name) const;
  void refuse(std::string_view name, std::string_view wanted) const;

  const boost::json::object& object_;
  std::string& problem_;
};

}  // namespace ptcvm::cli
