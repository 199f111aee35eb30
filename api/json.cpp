// boost::json::value by walks of its own: loops with a stack, so that depth costs no C++ stack.
#include "ptcvm/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/value_access.h"
#include "runtime/text/json_members.h"
#include "vm/value/utf8.h"

namespace ptcvm {
namespace {

namespace json = boost::json;

// A collection whose parts are being written.
struct Open {
  const json::value* container;
  std::size_t next = 0;
};

bool write_leaf(ValueWriter& out, const json::value& v) {
  switch (v.kind()) {
    case json::kind::null: out.nil(); return true;
    case json::kind::bool_: out.boolean(v.get_bool()); return true;
    case json::kind::int64: out.integer(v.get_int64()); return true;
    case json::kind::uint64:
      if (v.get_uint64() <= static_cast<std::uint64_t>(INT64_MAX)) {
        out.integer(static_cast<std::int64_t>(v.get_uint64()));
      } else {
        out.real(static_cast<double>(v.get_uint64()));
      }
      return true;
    case json::kind::double_: out.real(v.get_double()); return true;
    case json::kind::string: out.string(std::string_view(v.get_string())); return true;
    case json::kind::array: out.begin_vector(); return false;
    case json::kind::object: out.begin_map(); return false;
  }
  return true;
}

}  // namespace

void write_json(ValueWriter& out, const json::value& root) {
  std::vector<Open> open;
  const auto visit = [&](const json::value& v) {
    if (!write_leaf(out, v)) open.push_back({&v});
  };
  visit(root);
  while (!open.empty()) {
    Open& top = open.back();
    const bool is_array = top.container->is_array();
    const std::size_t size = is_array ? top.container->get_array().size() : top.container->get_object().size();
    if (top.next == size) {
      out.end();
      open.pop_back();
    } else if (is_array) {
      visit(top.container->get_array()[top.next++]);
    } else {
      const auto& entry = *(top.container->get_object().begin() + static_cast<std::ptrdiff_t>(top.next++));
      out.key(std::string_view(entry.key()));
      visit(entry.value());
    }
  }
}

namespace {

constexpr std::size_t kDeepest = 100'000;   // collections in each other; a deeper value becomes null

// Goes through text: the rules of JSON output are in one place.
json::value json_by_text(ValueView value) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kDeepest;
  json::value parsed = json::parse(value.to_json(), error, {}, options);
  return error ? json::value(nullptr) : parsed;
}

// A collection that is being made.
struct Making {
  json::value made;
  std::vector<ValueView> parts;
  std::vector<std::string_view> keys = {};   // maps: the key of each part
  std::size_t next = 0;

  std::optional<ValueView> take() { return next < parts.size() ? std::optional(parts[next++]) : std::nullopt; }
  // Adds the part that was taken last.
  void add(json::value part) {
    if (made.is_array()) {
      made.get_array().push_back(std::move(part));
    } else {
      made.get_object().insert_or_assign(keys[next - 1], std::move(part));
    }
  }
};

bool is_clean_text(std::string_view text) { return ptc::utf8_is_valid(text); }

// Begins a vector, or a map whose keys are names; nullopt: the value is something else.
std::optional<Making> begun(ValueView v) {
  if (v.kind() == ValueKind::Vector) return Making{json::array(), v.items()};
  if (v.kind() != ValueKind::Map) return std::nullopt;
  Making map{json::object(), {}};
  for (const ValueEntry& entry : v.entries()) {
    const auto name = entry.key.as_string() ? entry.key.as_string() : entry.key.as_keyword();
    if (!name || !is_clean_text(*name)) return std::nullopt;
    map.keys.push_back(*name);
    map.parts.push_back(entry.value);
  }
  return map;
}

json::value leaf(ValueView v) {
  switch (v.kind()) {
    case ValueKind::Nil: return nullptr;
    case ValueKind::Bool: return *v.as_bool();
    case ValueKind::Int: return *v.as_int();
    case ValueKind::Float:
      return std::isfinite(*v.as_double()) ? json::value(*v.as_double()) : json::value();
    case ValueKind::String:
      if (is_clean_text(*v.as_string())) return json::value(*v.as_string());
      break;
    default: break;
  }
  return json_by_text(v);
}

}  // namespace

json::value to_json(ValueView value) {
  std::vector<Making> open;
  std::optional<ValueView> next = value;   // the part to make next; nullopt: the part is made
  for (json::value made;;) {
    if (auto collection = next ? begun(*next) : std::nullopt) {
      if (open.size() == kDeepest) return nullptr;
      open.push_back(std::move(*collection));
    } else {
      if (next) made = leaf(*next);
      if (open.empty()) return made;
      open.back().add(std::move(made));
    }
    Making& top = open.back();
    next = top.take();
    if (next) continue;
    made = std::move(top.made);
    open.pop_back();
  }
}

std::string doubled_member(std::string_view json, std::span<const std::string_view> open) {
  return ptc::doubled_member(json, open);
}

}  // namespace ptcvm
