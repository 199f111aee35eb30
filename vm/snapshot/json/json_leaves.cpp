// The part of JsonValueReader for values that have no values in them: texts, tagged numbers, names, times.
#include <algorithm>
#include <array>
#include <limits>

#include "schema/ascii.h"
#include "vm/builtins/regex.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/json/json_value_reader.h"
#include "vm/value/bigint.h"
#include "vm/value/calendar.h"
#include "vm/value/equality.h"
#include "vm/value/numeric.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::array<std::string_view, 12> kLeafTags = {"kw",   "f",  "int",     "fn",      "tool",  "var",
                                                        "date", "re", "pending", "instant", "range", "duration"};

// Whether one of them may stand for the other: the same kind, down to what equality passes over.
bool are_alike(Value a, Value b) {
  if (a.tag != b.tag || !a.is_heap() || !b.is_heap() || a.object->kind != b.object->kind) return false;
  if (a.is(Tag::Instant) && a.object->flags != b.object->flags) return false;
  return same_key(a, b);
}

}  // namespace

bool JsonValueReader::is_leaf_tag(std::string_view tag) const {
  return std::find(kLeafTags.begin(), kLeafTags.end(), tag) != kLeafTags.end();
}

// Owned. What the layout says of it is looked at here: an object that is declared is made once.
Value JsonValueReader::leaf(JsonNode node) {
  if (node.doc->is_string()) return text_value(view_of(node.doc->get_string()), node.layout);
  const auto id = layout_number(node.layout, "$id");
  const Target* const declared = id ? target(*id) : nullptr;
  if (declared != nullptr && declared->state == Target::State::Done) return retained(declared->value);
  Value made = bare_leaf(node);
  if (made.is_absent()) return made;
  Value other = Value::nil();
  if (const auto ordinal = layout_number(node.layout, "$const")) other = linked(*ordinal);
  if (const auto same = layout_number(node.layout, "$same"); same && !id) other = leaf_of_target(*same);
  if (problem_.found()) {
    heap_.release(made);
    return Value::absent();
  }
  if (are_alike(made, other)) {
    heap_.release(made);
    made = retained(other);
  }
  if (id) settle(*id, made);
  return made;
}

Value JsonValueReader::text_value(std::string_view text, const json::object* facts) {
  if (facts == nullptr) {
    const auto constant = constants_.find(text);
    return constant == constants_.end() ? string_of(heap_, text) : retained(constant->second);
  }
  const auto id = layout_number(facts, "$id");
  const Target* const declared = id ? target(*id) : nullptr;
  if (declared != nullptr && declared->state == Target::State::Done) return retained(declared->value);
  Value other = Value::nil();
  if (const auto ordinal = layout_number(facts, "$const")) other = linked(*ordinal);
  if (const auto same = layout_number(facts, "$same"); same && !id) other = leaf_of_target(*same);
  if (problem_.found()) return Value::absent();
  const json::value* const lone = layout_member(facts, "$new");
  const bool is_new = lone != nullptr && lone->is_bool() && lone->get_bool();
  const bool fits = other.is_string() && string_view_of(other) == text;
  const Value made = fits ? retained(other) : is_new ? string_of(heap_, text) : text_value(text, nullptr);
  if (id) settle(*id, made);
  return made;
}

// A text or another leaf that is declared elsewhere. Declared objects are not the same as others: this goes one step.
Value JsonValueReader::leaf_of_target(std::uint32_t id) {
  Target* const wanted = target(id);
  if (wanted == nullptr || wanted->what == Target::What::Keys) return Value::absent();
  if (wanted->state == Target::State::Done) return wanted->value;
  Value made = Value::absent();
  if (wanted->what == Target::What::KeyText) {
    made = text_value(wanted->text, wanted->node.layout);
  } else if (wanted->node.doc->is_string()) {
    made = leaf(wanted->node);
  } else if (wanted->node.doc->is_object()) {
    const json::value* const tag = wanted->node.doc->get_object().if_contains("$");
    if (tag != nullptr && tag->is_string() && is_leaf_tag(view_of(tag->get_string()))) made = leaf(wanted->node);
  }
  if (made.is_absent()) return made;
  settle(id, made);
  heap_.release(made);
  return wanted->value;
}

Value JsonValueReader::bare_leaf(JsonNode node) {
  JsonFields fields(node, problem_);
  std::string tag;
  fields.text("$", tag);
  const Value made = tagged_leaf(node, fields, tag);
  if (made.is_absent()) {
    fail(node, "no such " + tag);
  } else if (!fields.done()) {
    heap_.release(made);
    return Value::absent();
  }
  return made;
}

Value JsonValueReader::tagged_leaf(JsonNode node, JsonFields& fields, std::string_view tag) {
  if (tag == "instant" || tag == "duration" || tag == "date") return temporal(node, fields, tag);
  if (tag == "range") {
    std::int64_t first = 0, step = 0;
    std::uint32_t count = 0;
    fields.number("first", first);
    fields.number("step", step);
    fields.number("count", count);
    const bool paid = count <= run_.limits().fuel;   // a program pays for each element
    RangeVector* const made = paid ? assemble_range(heap_, first, step, count) : nullptr;
    return made == nullptr ? Value::absent() : Value::of(Tag::Vector, made);
  }
  const JsonNode part = fields.find(tag == "pending" ? "id" : "v");
  if (!part || !part.doc->is_string()) {
    fail(node, "must have a text");
    return Value::absent();
  }
  const std::string_view text = view_of(part.doc->get_string());
  if (tag == "kw" || tag == "tool") {
    Value made = Value::of(heap_.intern(text));
    if (tag == "tool") made.tag = Tag::Tool;
    return made;
  }
  if (tag == "fn") {
    const auto id = find_builtin(text);
    return id ? Value::of(*id) : Value::absent();
  }
  if (tag == "f") {
    if (text == "nan") return Value::real(std::numeric_limits<double>::quiet_NaN());
    if (text == "inf" || text == "-inf") {
      const double infinity = std::numeric_limits<double>::infinity();
      return Value::real(text == "inf" ? infinity : -infinity);
    }
    const auto x = parse_double(text);
    return x ? Value::real(*x) : Value::absent();
  }
  if (tag == "int") return integer(node, text);
  if (tag == "var") {
    Var* const made = heap_.make<Var>(Kind::Var);
    made->name = heap_.intern(text);
    return Value::of(Tag::Var, made);
  }
  if (tag == "re" && text.size() > run_.limits().regex_pattern_bytes) return Value::absent();
  const Value own = text_value(text, part.layout);
  if (own.is_absent()) return own;
  return tag == "re" ? regex_of_source(heap_, own) : pending_of(heap_, own);
}

// Decimal, or hexadecimal for very wide ones.
Value JsonValueReader::integer(JsonNode node, std::string_view text) {
  const std::uint64_t widest = std::uint64_t{run_.limits().integer_bits} + 64;
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  if (!digits.starts_with("0x")) {
    constexpr std::uint32_t kMostDecimalBits = 70'000;   // decimal digits take time that grows with their square
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(widest, kMostDecimalBits));
    return integer_from_decimal(heap_, text, most);
  }
  digits.remove_prefix(2);
  if (digits.empty() || digits.size() * 4 > widest + 64) {
    fail(node, "integer too wide");
    return Value::absent();
  }
  std::vector<std::uint64_t> limbs((digits.size() + 15) / 16);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t at = kHexDigits.find(digits[digits.size() - 1 - i]);
    if (at == std::string_view::npos) return Value::absent();
    limbs[i / 16] |= std::uint64_t{at} << (4 * (i % 16));
  }
  const Value made = integer_from_limbs(heap_, negative, limbs);
  if (integer_bits(made) <= widest) return made;
  heap_.release(made);
  return Value::absent();
}

Value JsonValueReader::temporal(JsonNode node, JsonFields& fields, std::string_view tag) {
  const JsonNode text_node = fields.find("v");
  if (text_node && !text_node.doc->is_string()) {
    fail(node, "must have a text");
    return Value::absent();
  }
  const std::string_view text = text_node ? view_of(text_node.doc->get_string()) : std::string_view();
  if (tag == "date") {
    std::int64_t days = INT64_MAX;
    if (text_node) {
      days = parse_date(text).value_or(INT64_MAX);
    } else {
      fields.number("days", days);
    }
    return days >= kMinEpochDay && days <= kMaxEpochDay ? Value::date(days) : Value::absent();
  }
  Seconds at{INT64_MAX, kNanosPerSecond};
  if (text_node) {
    at = (tag == "instant" ? parse_instant(text) : parse_duration(text)).value_or(at);
  } else {
    fields.number("seconds", at.seconds);
    fields.number("nanos", at.nanos);
  }
  bool legacy = false;
  if (tag == "instant") fields.flag("legacy", legacy);
  const bool in_range = tag == "duration" || (at.seconds >= kMinEpochSecond && at.seconds <= kMaxEpochSecond);
  if (!in_range || at.nanos >= kNanosPerSecond) return Value::absent();
  const Value made = tag == "instant" ? instant_of(heap_, at) : duration_of(heap_, at);
  if (legacy) made.object->flags |= Instant::kLegacyDate;
  return made;
}

}  // namespace ptc
