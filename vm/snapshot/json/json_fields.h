// Reads the members of JSON objects strictly: a member of another kind, or an unknown member, is a problem that names
// its path. A missing member keeps the default of the caller.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/json.hpp>

namespace ptc {

namespace json = boost::json;

inline std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }

// The first problem, and its place.
struct JsonProblem {
  const json::value* at = nullptr;
  std::string member, message;
  bool found() const { return !message.empty(); }
  bool fail(const json::value* where, std::string why, std::string_view of_member = {}) {
    if (!found()) {
      at = where;
      member = of_member;
      message = std::move(why);
    }
    return false;
  }
};

// Returns a path such as "/fibers/0/frames/1/pc". Searches the document, so use it for problems only.
std::string path_of(const json::value& root, const json::value* wanted, std::string_view member = {});

// Returns whether an object has a member twice. Parsing keeps the last one, and other readers may not.
bool has_double_members(std::string_view text, const json::value& root);

// A place of the document, and what the layout section says about it.
struct JsonNode {
  const json::value* doc = nullptr;
  const json::object* layout = nullptr;
  explicit operator bool() const { return doc != nullptr; }
};

const json::value* layout_member(const json::object* layout, std::string_view fact);
const json::object* layout_facts(const json::object* layout, std::string_view fact);     // $keys
// Returns the layout of the member with that name, or of the element with that index.
const json::object* layout_below(const json::object* layout, std::string_view name);
const json::object* layout_below(const json::object* layout, std::size_t index);
// Returns the number of a fact such as $id.
std::optional<std::uint32_t> layout_number(const json::object* layout, std::string_view name);

class JsonFields {
 public:
  JsonFields(JsonNode node, JsonProblem& problem);

  bool is_object() const { return object_ != nullptr; }
  JsonNode find(std::string_view name);              // may be null
  void ignore(std::string_view name) { find(name); }
  void flag(std::string_view name, bool& out);
  void text(std::string_view name, std::string& out);
  template <class Number>
  void number(std::string_view name, Number& out);
  void time(std::string_view name, std::int64_t& millis);   // null gives 0
  template <class Enum, std::size_t N>
  void choice(std::string_view name, const std::array<std::string_view, N>& names, Enum& out);
  void texts(std::string_view name, std::vector<std::string>& out);
  // Calls each(node) for the elements, until it returns false.
  template <class Each>
  void list(std::string_view name, Each each);
  // Calls each(key, node) for the members.
  template <class Each>
  void members(std::string_view name, Each each);
  bool done();                                       // returns true when there are no other members and no problem
  bool fail(std::string why, std::string_view member = {}) { return problem_.fail(node_.doc, std::move(why), member); }

 private:
  std::optional<std::int64_t> signed_number(std::string_view name, const json::value& value);
  std::optional<std::uint64_t> unsigned_number(std::string_view name, const json::value& value);

  JsonNode node_;
  const json::object* object_;
  JsonProblem& problem_;
  std::vector<std::string_view> seen_;
};

template <class Number>
void JsonFields::number(std::string_view name, Number& out) {
  const JsonNode node = find(name);
  if (!node) return;
  if constexpr (std::is_signed_v<Number>) {
    const auto n = signed_number(name, *node.doc);
    if (!n) return;
    if (*n < std::numeric_limits<Number>::min() || *n > std::numeric_limits<Number>::max()) {
      fail("number out of range", name);
      return;
    }
    out = static_cast<Number>(*n);
  } else {
    const auto n = unsigned_number(name, *node.doc);
    if (!n) return;
    if (*n > std::numeric_limits<Number>::max()) {
      fail("number out of range", name);
      return;
    }
    out = static_cast<Number>(*n);
  }
}

template <class Enum, std::size_t N>
void JsonFields::choice(std::string_view name, const std::array<std::string_view, N>& names, Enum& out) {
  std::string text;
  this->text(name, text);
  if (text.empty()) return;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) {
      out = static_cast<Enum>(i);
      return;
    }
  }
  fail("unknown word \"" + text + '"', name);
}

template <class Each>
void JsonFields::list(std::string_view name, Each each) {
  const JsonNode node = find(name);
  if (!node) return;
  if (!node.doc->is_array()) {
    fail("must be an array", name);
    return;
  }
  const json::array& items = node.doc->get_array();
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!each(JsonNode{&items[k], layout_below(node.layout, k)})) return;
  }
}

template <class Each>
void JsonFields::members(std::string_view name, Each each) {
  const JsonNode node = find(name);
  if (!node) return;
  if (!node.doc->is_object()) {
    fail("must be an object", name);
    return;
  }
  for (const auto& entry : node.doc->get_object()) {
    const std::string_view key(entry.key().data(), entry.key().size());
    if (!each(key, JsonNode{&entry.value(), layout_below(node.layout, key)})) return;
  }
}

}  // namespace ptc
