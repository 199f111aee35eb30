#include "vm/snapshot/json/json_value_writer.h"

#include <algorithm>

#include "vm/exec/machine_state.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

bool is_plain_name(Value key) {
  return key.is_string() && (string_view_of(key).empty() || string_view_of(key).front() != '$');
}

// Values of bounded size that are no collections.
bool is_written_again(Kind kind) {
  return kind == Kind::RangeVector || kind == Kind::Var || kind == Kind::Instant || kind == Kind::Duration ||
         kind == Kind::Regex || kind == Kind::Pending;
}

// A constant that is sooner read than looked up.
bool is_small_constant(const Object* root) {
  std::size_t objects = 0, bytes = 0;
  std::vector<const Object*> open{root};
  while (!open.empty()) {
    const Object* const object = open.back();
    open.pop_back();
    if (object->kind == Kind::String) bytes += static_cast<const String*>(object)->size_bytes;
    if (object->kind == Kind::BigInt || ++objects > 16 || bytes > 128 || part_count(object) > 16) return false;
    for (std::uint32_t i = 0; i < part_count(object); ++i) {
      const Value part = part_at(object, i);
      if (part.is_heap()) open.push_back(part.object);
    }
  }
  return true;
}

std::uint32_t present_count(const Object* object) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < part_count(object); ++i) count += part_at(object, i).is_absent() ? 0u : 1u;
  return count;
}

// Inner nodes stay where they are: only few levels of them lie in each other, and their own level counts.
bool is_postponed(const Object* object) {
  return value_of(const_cast<Object*>(object)).tag != Tag::Hidden && part_count(object) != 0 &&
         object->kind != Kind::Regex && object->kind != Kind::Pending;
}

}  // namespace

JsonValueWriter::JsonValueWriter(const MachineView& run, const ValueWriter& linked, JsonText& out)
    : run_(run), out_(out), shared_(run, linked) {}

void JsonValueWriter::put(Value value) {
  begin(value, false);
  while (!open_.empty()) step();
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

// What is here when it is not written again: a reference. Else says in the layout what the object is.
bool JsonValueWriter::refer(Value value, bool& quiet) {
  Met* const met = shared_.find(value.object);
  if (met == nullptr) return false;
  const bool small = is_written_again(value.object->kind);
  if (met->is_linked()) {
    const bool again = met->is_written && !small && !is_small_constant(value.object);
    if (again || value.is(Tag::Closure) || out_.depth() >= kMaxDepth) {
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
  for (const Link& link : run_.links()) {
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
