#include "vm/snapshot/json_value_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "vm/exec/run_impl.h"
#include "vm/value/calendar.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint32_t kDecimalLimbs = 1026;   // wider integers are written as hexadecimal digits

std::size_t text_bytes(const KeyArray* keys) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    const Value key = keys->keys()[i];
    if (key.is_string()) bytes += string_view_of(key).size();
    if (key.is_keyword()) bytes += key.keyword->size_bytes;
  }
  return bytes;
}

bool is_plain_name(Value key) {
  return key.is_string() && (string_view_of(key).empty() || string_view_of(key).front() != '$');
}

// Values of bounded size that are no collections.
bool is_written_again(Kind kind) {
  return kind == Kind::RangeVector || kind == Kind::Var || kind == Kind::Instant || kind == Kind::Duration ||
         kind == Kind::Regex || kind == Kind::Pending;
}

std::uint32_t present_count(const Object* object) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < part_count(object); ++i) count += part_at(object, i).is_absent() ? 0u : 1u;
  return count;
}

std::string float_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string text;
  append_float(text, x, true);
  return text;
}

std::string integer_text(Value big) {
  const auto* number = static_cast<const BigInt*>(big.object);
  std::string text;
  if (number->limb_count <= kDecimalLimbs) {
    append_integer(text, big);
    return text;
  }
  text = (number->flags & BigInt::kNegative) != 0 ? "-0x" : "0x";
  for (std::uint32_t i = number->limb_count; i-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number->limbs()[i] >> shift & 15];
  }
  return text;
}

// Inner nodes stay where they are: only few levels of them lie in each other, and their own level counts.
bool is_postponed(const Object* object) {
  return value_of(const_cast<Object*>(object)).tag != Tag::Hidden && part_count(object) != 0 &&
         object->kind != Kind::Regex && object->kind != Kind::Pending;
}

// ISO text when that reads back as the same point or length of time, else "".
std::string temporal_text(Value temporal) {
  std::string text;
  append_temporal(text, temporal);
  bool same = false;
  if (temporal.is(Tag::Date)) {
    same = parse_date(text) == temporal.i;
  } else if (temporal.is(Tag::Instant)) {
    const auto* instant = static_cast<const Instant*>(temporal.object);
    const auto read = parse_instant(text);
    same = read && read->seconds == instant->epoch_seconds && read->nanos == instant->nanos;
  } else {
    const auto* duration = static_cast<const Duration*>(temporal.object);
    const auto read = parse_duration(text);
    same = read && read->seconds == duration->seconds && read->nanos == duration->nanos;
  }
  return same ? text : std::string();
}

}  // namespace

JsonValueWriter::JsonValueWriter(const RunImpl& run, const ValueWriter& linked, JsonText& out)
    : run_(run), out_(out), shared_(run, linked) {}

// Whether reading this text here would give this very object, or a new one as it should be.
bool JsonValueWriter::is_default_text(Value string) {
  const Object* const constant = shared_.constant_text(string_view_of(string));
  return constant == string.object || (constant == nullptr && !shared_.is_shared(string.object));
}

void JsonValueWriter::choose_key_arrays() {
  for (const KeyArray* keys : shared_.key_arrays()) {
    const bool repeated = shared_.is_shared(keys) && text_bytes(keys) > kMaxRepeatedKeys;
    const bool ordinary = std::all_of(keys->keys(), keys->keys() + keys->extra, [this](Value key) {
      return !key.is_string() || is_default_text(key);
    });
    if (!ordinary || repeated) listed_.push_back(keys);
    if (repeated) declare(*shared_.find(keys));
  }
}

void JsonValueWriter::put(Value value) {
  begin(value, false);
  while (!open_.empty()) step();
}

void JsonValueWriter::put_key_array(const KeyArray* keys) {
  if (const Met* const met = shared_.find(keys); met != nullptr && met->id != 0) layout.fact("$id", met->id);
  out_.open('[');
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    layout.enter(i);
    put(keys->keys()[i]);
    layout.leave();
  }
  out_.close(']');
}

void JsonValueWriter::put_shape(const KeyArray* keys, std::uint32_t first_ordinal) {
  out_.open('[');
  for (std::uint32_t i = 0; i < keys->extra; ++i) {
    const Value key = keys->keys()[i];
    if (scalar(key)) continue;
    out_.text(string_view_of(key));
    const Object* const constant = shared_.constant_text(string_view_of(key));
    if (constant == nullptr || constant == key.object) continue;
    const Met* const met = shared_.find(key.object);
    layout.enter(i);
    if (met != nullptr && met->ordinal < first_ordinal) {
      layout.fact("$const", met->ordinal);
    } else {
      layout.fact("$new", "true");
    }
    layout.leave();
  }
  out_.close(']');
}

void JsonValueWriter::put_postponed() {
  for (std::size_t k = 0; k < postponed_.size(); ++k) {   // grows meanwhile
    const auto [value, id] = postponed_[k];
    const std::string name = std::to_string(id);
    out_.key(name);
    layout.enter(name);
    composite(value, false);
    while (!open_.empty()) step();
    layout.leave();
  }
}

void JsonValueWriter::tagged(std::string_view tag) {
  out_.open('{');
  out_.key("$");
  out_.text(tag);
}

void JsonValueWriter::open_list(std::string_view name) {
  out_.key(name);
  out_.open('[');
  layout.enter(name);
}

void JsonValueWriter::reference(const Met& met) {
  tagged(met.is_linked() ? "const" : "ref");
  out_.key("v");
  out_.number(std::uint64_t{met.is_linked() ? met.ordinal : met.id});
  out_.close('}');
}

void JsonValueWriter::postpone(Value value, Met& met) {
  postponed_.emplace_back(value, declare(met));
  reference(met);
}

void JsonValueWriter::begin(Value value, bool quiet) {
  if (scalar(value)) return;
  if (value.is_string()) {
    string(value, quiet);
  } else {
    object(value, quiet);
  }
}

bool JsonValueWriter::scalar(Value value) {
  const auto tag_and_text = [this](std::string_view tag, std::string_view text) {
    tagged(tag);
    out_.key("v");
    out_.text(text);
    out_.close('}');
    return true;
  };
  switch (value.tag) {
    case Tag::Nil: out_.raw("null"); return true;
    case Tag::False: out_.raw("false"); return true;
    case Tag::True: out_.raw("true"); return true;
    case Tag::Absent:
      tagged("absent");
      out_.close('}');
      return true;
    case Tag::Int:
      if (value.i <= kMaxPlainInt && value.i >= -kMaxPlainInt) {
        out_.number(value.i);
        return true;
      }
      return tag_and_text("int", std::to_string(value.i));
    case Tag::Float: return tag_and_text("f", float_text(value.d));
    case Tag::Keyword: return tag_and_text("kw", value.keyword->name());
    case Tag::Tool: return tag_and_text("tool", value.keyword->name());
    case Tag::Builtin: return tag_and_text("fn", builtin_info(value.builtin()).name);
    case Tag::Date: {
      if (const std::string text = temporal_text(value); !text.empty()) return tag_and_text("date", text);
      tagged("date");
      out_.key("days");
      out_.number(value.i);
      out_.close('}');
      return true;
    }
    default: return false;
  }
}

void JsonValueWriter::string(Value value, bool quiet) {
  const std::string_view text = string_view_of(value);
  Met* const met = shared_.find(value.object);
  const bool again = met != nullptr && (met->is_linked() ? met->is_written : met->id != 0);
  if (again && text.size() > kMaxRepeatedBytes) return reference(*met);
  if (met != nullptr) met->is_written = true;
  out_.text(text);
  if (!quiet) text_facts(value);
}

// What must be said of a text besides its characters.
void JsonValueWriter::text_facts(Value value) {
  const Object* const constant = shared_.constant_text(string_view_of(value));
  Met* const met = shared_.find(value.object);
  if (met != nullptr && met->is_linked()) {
    if (constant != value.object) layout.fact("$const", met->ordinal);
    return;
  }
  if (constant == value.object) return;
  if (met != nullptr && met->id != 0) {
    layout.fact("$same", met->id);
    return;
  }
  if (met != nullptr && met->times > 1) layout.fact("$id", declare(*met));
  if (constant != nullptr) layout.fact("$new", "true");
}

// What is here when it is not written again: a reference. Else says in the layout what the object is.
bool JsonValueWriter::refer(Value value, bool& quiet) {
  Met* const met = shared_.find(value.object);
  if (met == nullptr) return false;
  const bool small = is_written_again(value.object->kind);
  if (met->is_linked()) {
    if ((met->is_written && !small) || value.is(Tag::Closure) || out_.depth() >= kMaxDepth) {
      reference(*met);
      return true;
    }
    met->is_written = true;
    if (!quiet) layout.fact("$const", met->ordinal);
    quiet = true;
    return false;
  }
  if (met->times < 2 || quiet) return false;
  if (met->id == 0) {
    if (is_postponed(value.object) && out_.depth() >= kMaxDepth) return false;   // gets its id then
    layout.fact("$id", declare(*met));
    return false;
  }
  if (!small) {
    reference(*met);
    return true;
  }
  layout.fact("$same", met->id);
  quiet = true;
  return false;
}

void JsonValueWriter::object(Value value, bool quiet) {
  if (refer(value, quiet)) return;
  switch (value.object->kind) {
    case Kind::BigInt:
    case Kind::RangeVector:
    case Kind::Var:
    case Kind::Instant:
    case Kind::Duration:
    case Kind::Regex:
    case Kind::Pending: small_object(value, quiet); return;
    default: break;
  }
  if (out_.depth() < kMaxDepth || !is_postponed(value.object)) return composite(value, quiet);
  Met* const met = shared_.find(value.object);
  postpone(value, met != nullptr ? *met : lone_[value.object]);
}

void JsonValueWriter::small_object(Value value, bool quiet) {
  const auto part = [&](std::string_view name) {
    out_.key(name);
    layout.enter(name);
    string(part_at(value.object, 0), quiet);
    layout.leave();
  };
  switch (value.object->kind) {
    case Kind::BigInt:
      tagged("int");
      out_.key("v");
      out_.text(integer_text(value));
      break;
    case Kind::RangeVector: {
      const auto* range = static_cast<const RangeVector*>(value.object);
      tagged("range");
      out_.key("first");
      out_.number(range->first);
      out_.key("step");
      out_.number(range->step);
      out_.key("count");
      out_.number(std::uint64_t{range->count});
      break;
    }
    case Kind::Var:
      tagged("var");
      out_.key("v");
      out_.text(static_cast<const Var*>(value.object)->name->name());
      break;
    case Kind::Instant:
    case Kind::Duration: {
      const bool instant = value.is(Tag::Instant);
      tagged(instant ? "instant" : "duration");
      if (const std::string text = temporal_text(value); !text.empty()) {
        out_.key("v");
        out_.text(text);
      } else {
        out_.key("seconds");
        out_.number(instant ? static_cast<const Instant*>(value.object)->epoch_seconds
                            : static_cast<const Duration*>(value.object)->seconds);
        out_.key("nanos");
        out_.number(std::uint64_t{instant ? static_cast<const Instant*>(value.object)->nanos
                                          : static_cast<const Duration*>(value.object)->nanos});
      }
      if (instant && (value.object->flags & Instant::kLegacyDate) != 0) {
        out_.key("legacy");
        out_.raw("true");
      }
      break;
    }
    case Kind::Regex:
      tagged("re");
      part("v");
      break;
    default:
      tagged("pending");
      part("id");
  }
  out_.close('}');
}

void JsonValueWriter::composite(Value value, bool quiet) {
  Open open{value, Form::Array, quiet, quiet, false, 0, 0, 0, {}};
  switch (value.object->kind) {
    case Kind::FlatVector:
    case Kind::TrieVector: vector(value, open); break;
    case Kind::SmallMap: map(value, open); break;
    case Kind::SmallSet: set(value, open); break;
    case Kind::HashMap:
    case Kind::HashSet: hashed(value, open); break;
    case Kind::Closure: closure(value, open); break;
    default: node(value, open);
  }
  if (open.form != Form::Done) open_.push_back(std::move(open));
}

void JsonValueWriter::vector(Value value, Open& open) {
  open.count = vector_count(value);
  if (value.object->kind == Kind::FlatVector) {
    const auto* flat = static_cast<const FlatVector*>(value.object);
    if (!open.quiet && (flat->start != 0 || flat->extra != flat->count)) {
      layout.fact("$room", '[' + std::to_string(flat->start) + ", " + std::to_string(flat->extra) + ']');
    }
    out_.open('[');
    return;
  }
  const auto* trie = static_cast<const TrieVector*>(value.object);
  if (is_regular(trie, open.quiet)) {
    out_.open('[');
    return;
  }
  tagged("trie");
  out_.key("start");
  out_.number(std::uint64_t{trie->start});
  out_.key("count");
  out_.number(std::uint64_t{trie->count});
  open.form = Form::Named;
  open.count = 2;
}

// Says what is to be known of the array itself.
bool JsonValueWriter::keys(const KeyArray* keys, Open& open) {
  Met* const met = shared_.find(keys);
  const bool shared = met != nullptr && (met->is_linked() || met->times > 1);
  const bool interned = (keys->flags & KeyArray::kInterned) != 0;
  if (interned) {
    open.quiet_keys = true;
    const bool again = shared && (met->is_linked() ? met->is_written : met->id != 0);
    if (shared && met->is_linked()) met->is_written = true;
    return !again || text_bytes(keys) <= kMaxRepeatedKeys;
  }
  const auto is_name = [](Value key) { return KeyArrayTable::can_intern(key); };
  const auto is_heavy = [](Value key) { return key.is_heap(); };
  const Value* const first = keys->keys();
  const Value* const end = first + keys->extra;
  const bool again = shared && (met->is_linked() ? met->is_written : met->id != 0);
  if (again && std::any_of(first, end, is_heavy)) return false;
  if (open.quiet) return true;
  layout.enter_facts("$keys");
  if (shared && met->is_linked()) {
    met->is_written = true;
    open.quiet_keys = true;
    layout.fact("$const", met->ordinal);
  } else if (again) {
    open.quiet_keys = true;
    layout.fact("$same", met->id);
  } else if (shared) {
    layout.fact("$id", declare(*met));
  }
  if (open.value.is_map() && std::all_of(first, end, is_name)) layout.fact("$private", "true");
  layout.leave();
  return true;
}

void JsonValueWriter::map(Value value, Open& open) {
  const KeyArray* const array = static_cast<const SmallMap*>(value.object)->keys;
  const bool interned = (array->flags & KeyArray::kInterned) != 0;
  if (!keys(array, open)) {
    tagged("map");
    out_.key("keys");
    reference(*shared_.find(array));
    open_list("v");
    open.form = Form::List;
    open.first_part = 1;
    open.count = array->extra;
    return;
  }
  if (interned && std::all_of(array->keys(), array->keys() + array->extra, is_plain_name)) {
    out_.open('{');
    open.form = Form::Members;
    open.count = array->extra;
    return;
  }
  tagged("map");
  open_list("v");
  open.form = Form::Pairs;
  open.count = 2u * array->extra;
}

void JsonValueWriter::set(Value value, Open& open) {
  const KeyArray* const array = static_cast<const SmallSet*>(value.object)->keys;
  const bool here = keys(array, open);
  tagged("set");
  if (!here) {
    out_.key("keys");
    reference(*shared_.find(array));
    out_.close('}');
    open.form = Form::Done;
    return;
  }
  open_list("v");
  open.form = Form::List;
  open.quiet = open.quiet_keys;
  open.count = array->extra;
}

void JsonValueWriter::hashed(Value value, Open& open) {
  const auto* hashed = static_cast<const HashMap*>(value.object);
  if (!is_regular(hashed, open.quiet)) {
    tagged("hash");
    out_.key("count");
    out_.number(std::uint64_t{hashed->count});
    if (value.is_set()) {
      out_.key("set");
      out_.raw("true");
    }
    open.form = Form::Named;
    open.count = 1;
    return;
  }
  open.sorted.resize(hashed->count);
  sorted_entries(hashed, open.sorted.data());
  if (value.is_set()) {
    tagged("set");
    open_list("v");
    open.form = Form::List;
    open.count = hashed->count;
    return;
  }
  const auto fits = [](const MapEntry& entry) {
    return is_plain_name(entry.key) && string_view_of(entry.key).size() <= kMaxRepeatedBytes;
  };
  if (std::all_of(open.sorted.begin(), open.sorted.end(), fits)) {
    out_.open('{');
    open.form = Form::Members;
    open.count = hashed->count;
    return;
  }
  tagged("map");
  open_list("v");
  open.form = Form::Pairs;
  open.count = 2 * hashed->count;
}

void JsonValueWriter::closure(Value value, Open& open) {
  const auto* closure = static_cast<const Closure*>(value.object);
  std::uint64_t program = 0;
  for (const Link& link : run_.links) {
    if (&link == closure->link) break;
    ++program;
  }
  tagged("clo");
  if (!closure->function->name.empty()) {
    out_.key("name");
    out_.text(closure->function->name);
  }
  out_.key("program");
  out_.number(program);
  out_.key("function");
  out_.number(std::uint64_t{static_cast<const Prototype*>(closure->function)->index});
  out_.key("serial");
  out_.number(std::uint64_t{closure->serial});
  open_list("captured");
  open.form = Form::List;
  open.count = closure->upvalue_count;
}

// The inside of a large collection that does not look as if it was made at once.
void JsonValueWriter::node(Value value, Open& open) {
  const Object* const object = value.object;
  open.form = Form::List;
  if (object->kind == Kind::HashNode) {
    const auto* node = static_cast<const HashNode*>(object);
    tagged("entries");
    out_.key("level");
    out_.number(std::uint64_t{node_level()});
    if (node->is_set()) {
      out_.key("set");
      out_.raw("true");
    }
    out_.key(node->is_collision() ? "collision" : "data");
    out_.number(std::uint64_t{node->datamap});
    out_.key("nodes");
    out_.number(std::uint64_t{node->nodemap});
    open_list("v");
    open.form = Form::Entries;
    open.count = part_count(object);
    return;
  }
  if (object->kind == Kind::VectorLeaf) {
    tagged("leaf");
  } else {
    const auto* node = static_cast<const VectorNode*>(object);
    std::uint64_t mask = 0;
    for (std::uint32_t i = 0; i < kFlatVectorMax; ++i) mask |= node->children[i] != nullptr ? std::uint64_t{1} << i : 0;
    tagged("node");
    out_.key("mask");
    out_.number(mask);
  }
  open_list("v");
  open.count = object->kind == Kind::VectorLeaf ? object->extra : present_count(object);
}

}  // namespace ptc
