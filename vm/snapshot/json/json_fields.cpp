#include "vm/snapshot/json/json_fields.h"

#include <algorithm>
#include <charconv>

namespace ptc {
namespace {

struct Open {
  const json::value* value;
  std::size_t next;
};

const json::value& child(const json::value& around, std::size_t k) {
  return around.is_array() ? around.get_array()[k] : (around.get_object().begin() + std::ptrdiff_t(k))->value();
}

std::size_t child_count(const json::value& value) {
  if (value.is_array()) return value.get_array().size();
  return value.is_object() ? value.get_object().size() : 0;
}

std::string segment(const json::value& around, std::size_t k) {
  if (around.is_array()) return std::to_string(k);
  const auto key = (around.get_object().begin() + std::ptrdiff_t(k))->key();
  constexpr std::size_t kMostShown = 80;
  return std::string(key.data(), std::min(key.size(), kMostShown));
}

// Calls visit(open) for every value, with the values around it; true ends the walk.
template <class Visit>
void walk(const json::value& root, Visit visit) {
  std::vector<Open> open{{&root, 0}};
  if (visit(open)) return;
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == child_count(*top.value)) {
      open.pop_back();
      continue;
    }
    open.push_back({&child(*top.value, top.next++), 0});
    if (visit(open)) return;
  }
}

template <class Number>
std::optional<Number> decimal(std::string_view text) {
  Number n = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

std::string path_of(const json::value& root, const json::value* wanted, std::string_view member) {
  std::string path;
  walk(root, [&](const std::vector<Open>& open) {
    if (open.back().value != wanted) return false;
    for (std::size_t k = 0; k + 1 < open.size(); ++k) path += '/' + segment(*open[k].value, open[k].next - 1);
    return true;
  });
  if (!member.empty()) path += '/' + std::string(member);
  return path.empty() ? "/" : path;
}

bool has_double_members(std::string_view text, const json::value& root) {
  std::size_t named = 0, kept = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {   // every member has one colon outside of strings
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && text[i] == ':') {
      ++named;
    }
  }
  walk(root, [&](const std::vector<Open>& open) {
    if (open.back().value->is_object()) kept += open.back().value->get_object().size();
    return false;
  });
  return named != kept;
}

const json::value* layout_member(const json::object* layout, std::string_view name) {
  return layout == nullptr ? nullptr : layout->if_contains({name.data(), name.size()});
}

const json::object* layout_facts(const json::object* layout, std::string_view name) {
  const json::value* const facts = layout_member(layout, name);
  return facts != nullptr && facts->is_object() ? &facts->get_object() : nullptr;
}

const json::object* layout_below(const json::object* layout, std::string_view name) {
  if (layout == nullptr || !name.starts_with('$')) return layout_facts(layout, name);
  return layout_facts(layout, '$' + std::string(name));
}

const json::object* layout_below(const json::object* layout, std::size_t index) {
  return layout == nullptr ? nullptr : layout_below(layout, std::to_string(index));
}

std::optional<std::uint32_t> layout_number(const json::object* layout, std::string_view name) {
  const json::value* const fact = layout_member(layout, name);
  if (fact == nullptr || !fact->is_int64() || fact->get_int64() < 0 || fact->get_int64() > UINT32_MAX) return {};
  return static_cast<std::uint32_t>(fact->get_int64());
}

JsonFields::JsonFields(JsonNode node, JsonProblem& problem)
    : node_(node), object_(node && node.doc->is_object() ? &node.doc->get_object() : nullptr), problem_(problem) {
  if (object_ == nullptr) fail("must be an object");
}

JsonNode JsonFields::find(std::string_view name) {
  if (object_ == nullptr) return {};
  const json::value* const value = object_->if_contains({name.data(), name.size()});
  if (value == nullptr) return {};
  seen_.push_back(name);
  return {value, layout_below(node_.layout, name)};
}

void JsonFields::flag(std::string_view name, bool& out) {
  const JsonNode node = find(name);
  if (!node) return;
  if (node.doc->is_bool()) {
    out = node.doc->get_bool();
  } else {
    fail("must be true or false", name);
  }
}

void JsonFields::text(std::string_view name, std::string& out) {
  const JsonNode node = find(name);
  if (!node) return;
  if (node.doc->is_string()) {
    out = view_of(node.doc->get_string());
  } else {
    fail("must be text", name);
  }
}

std::optional<std::int64_t> JsonFields::signed_number(std::string_view name, const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  std::optional<std::int64_t> n;
  if (value.is_string()) n = decimal<std::int64_t>(view_of(value.get_string()));
  if (!n) fail("must be a whole number", name);
  return n;
}

std::optional<std::uint64_t> JsonFields::unsigned_number(std::string_view name, const json::value& value) {
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  if (value.is_uint64()) return value.get_uint64();
  std::optional<std::uint64_t> n;
  if (value.is_string()) n = decimal<std::uint64_t>(view_of(value.get_string()));
  if (!n) fail("must be a whole number, not below 0", name);
  return n;
}

void JsonFields::time(std::string_view name, std::int64_t& millis) {
  const JsonNode node = find(name);
  if (!node || node.doc->is_null()) return;
  if (const auto n = signed_number(name, *node.doc)) millis = *n;
}

void JsonFields::texts(std::string_view name, std::vector<std::string>& out) {
  list(name, [&](JsonNode item) {
    if (!item.doc->is_string()) return problem_.fail(item.doc, "must be text");
    out.emplace_back(view_of(item.doc->get_string()));
    return true;
  });
}

bool JsonFields::done() {
  if (object_ == nullptr || problem_.found()) return false;
  if (seen_.size() == object_->size()) return true;
  for (const auto& entry : *object_) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (std::find(seen_.begin(), seen_.end(), name) == seen_.end()) return fail("unknown member", name);
  }
  return true;
}

}  // namespace ptc
