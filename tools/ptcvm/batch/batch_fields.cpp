#include "tools/ptcvm/batch/batch_fields.h"

#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// A list of a request may have so many entries.
constexpr std::size_t kMostEntries = 100'000;

}  // namespace

std::optional<json::value> whole_number(const json::value& value) {
  constexpr double kMostSigned = 0x1p63, kMostUnsigned = 0x1p64;
  if (value.is_int64() || value.is_uint64()) return value;
  const double* const number = value.if_double();
  if (number == nullptr || *number != std::trunc(*number)) return std::nullopt;
  // -2^63 as a float may be a smaller number that was rounded.
  if (*number > -kMostSigned && *number < kMostSigned) return json::value(static_cast<std::int64_t>(*number));
  if (*number >= 0 && *number < kMostUnsigned) return json::value(static_cast<std::uint64_t>(*number));
  return std::nullopt;
}

std::optional<json::value> BatchFields::whole(std::string_view name) const {
  const json::value* const value = find(name);
  return value == nullptr ? std::nullopt : whole_number(*value);
}

const json::value* BatchFields::find(std::string_view name) const {
  const json::value* value = object_.if_contains({name.data(), name.size()});
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string_view> BatchFields::text(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const json::string* string = value->if_string()) return std::string_view(string->data(), string->size());
  refuse(name, "a string");
  return std::nullopt;
}

std::string_view BatchFields::name_in(std::string_view list) const {
  const auto given = text("name");
  const bool is_empty = !given || given->empty();
  if (is_empty && problem_.empty()) problem_ = std::string(list) + ": name is missing";
  return given.value_or("");
}

void BatchFields::refuse_unknown(BatchObject object) const {
  if (problem_.empty()) problem_ = unknown_member(object, object_);
}

void BatchFields::refuse_unknown_request(std::int64_t protocol) const {
  if (problem_.empty()) problem_ = unknown_member(BatchObject::Request, object_, protocol == 1);
}

std::optional<std::string> BatchFields::edn(std::string_view edn, std::string_view json) const {
  const auto given = text(edn);
  const json::value* const value = find(json);
  if (value == nullptr) return given ? std::optional<std::string>(*given) : std::nullopt;
  if (given) {
    if (problem_.empty()) problem_ = "give " + std::string(json) + " or " + std::string(edn) + ", not both";
    return std::nullopt;
  }
  auto read = Value::from_json(json::serialize(*value));
  if (read) return read->to_edn();
  if (problem_.empty()) problem_ = std::string(json) + ": " + read.error().message;
  return std::nullopt;
}

bool BatchFields::one_of(std::string_view name, std::string_view usual, std::string_view other) const {
  const auto given = text(name);
  if (given && *given != usual && *given != other) {
    refuse(name, '"' + std::string(usual) + "\" or \"" + std::string(other) + '"');
  }
  return given == other;
}

bool BatchFields::flag(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return false;
  if (const bool* set = value->if_bool()) return *set;
  refuse(name, "a boolean");
  return false;
}

ToolMode BatchFields::tool_mode(std::string_view name) const {
  const json::value* value = find(name);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  if (text != nullptr && *text == "auto") return ToolMode::Auto;
  return flag(name) ? ToolMode::Async : ToolMode::Sync;
}

Effect BatchFields::effect(std::string_view name) const {
  const auto given = text(name);
  if (!given || given->empty()) return Effect::Unsafe;
  const auto found = find_effect(*given);
  if (!found) refuse(name, "\"unsafe\", \"pure\", \"idempotent\", \"keyed\" or \"reconcilable\"");
  return found.value_or(Effect::Unsafe);
}

ResolveOrder BatchFields::resolve_order(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return ResolveOrder::fifo();
  if (const json::string* text = value->if_string()) {
    if (*text == "fifo") return ResolveOrder::fifo();
    if (*text == "lifo") return ResolveOrder::lifo();
  }
  if (const auto seed = whole(name)) {
    return ResolveOrder::shuffled(seed->is_uint64() ? seed->get_uint64()
                                                    : static_cast<std::uint64_t>(seed->get_int64()));
  }
  refuse(name, "\"fifo\", \"lifo\" or a whole number");
  return ResolveOrder::fifo();
}

std::optional<std::int64_t> BatchFields::time(std::string_view name) const {
  if (find(name) == nullptr) return std::nullopt;
  const auto millis = whole(name);
  if (millis && millis->is_int64()) return millis->get_int64();
  refuse(name, "a whole number of at most 63 bits");
  return std::nullopt;
}

std::optional<std::uint64_t> BatchFields::decimals(std::string_view name) const {
  if (find(name) == nullptr) return std::nullopt;
  const auto number = whole(name);
  if (number && number->is_uint64()) return number->get_uint64();
  if (number && number->get_int64() >= 0) return static_cast<std::uint64_t>(number->get_int64());
  refuse(name, "a whole number of at most 64 bits, and no negative one");
  return std::nullopt;
}

void BatchFields::limit(std::string_view name, const ptc::LimitInfo& limit, ptc::Limits& limits) const {
  const json::value* value = find(name);
  if (value == nullptr) return;
  std::string why = ptc::set_limit(limits, limit, json::serialize(whole(name).value_or(*value)));
  if (problem_.empty()) problem_ = std::move(why);
}

const json::object* BatchFields::object(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return nullptr;
  if (const json::object* found = value->if_object()) return found;
  refuse(name, "an object");
  return nullptr;
}

const json::array* BatchFields::objects(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return nullptr;
  const json::array* list = value->if_array();
  if (list == nullptr) {
    refuse(name, "a list");
  } else if (list->size() > kMostEntries) {
    refuse(name, "a list of at most " + std::to_string(kMostEntries) + " objects");
    list = nullptr;
  }
  return list;
}

void BatchFields::refuse(std::string_view name, std::string_view wanted) const {
  if (problem_.empty()) problem_ = std::string(name) + " must be " + std::string(wanted);
}

}  // namespace ptcvm::cli
