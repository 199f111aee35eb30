#include "vm/snapshot/json/json_value_reader.h"

#include <algorithm>
#include <charconv>

#include "vm/exec/machine_state.h"
#include "vm/value/equality.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

std::optional<std::uint64_t> index_of(std::string_view text) {
  std::uint64_t n = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return n;
}

// The part of a document that a layout member speaks of, or null.
const json::value* below(const json::value* doc, std::string_view name) {
  if (doc->is_object()) return doc->get_object().if_contains({name.data(), name.size()});
  if (!doc->is_array()) return nullptr;
  const auto index = index_of(name);
  return index && *index < doc->get_array().size() ? &doc->get_array()[*index] : nullptr;
}

bool is_key_list(const json::value* doc) { return doc->is_array() && doc->get_array().size() <= kSmallMax; }

const json::string* tag_of(const json::value* doc) {
  if (doc == nullptr || !doc->is_object()) return nullptr;
  const json::value* const tag = doc->get_object().if_contains("$");
  return tag != nullptr && tag->is_string() ? &tag->get_string() : nullptr;
}

}  // namespace

JsonValueReader::JsonValueReader(MachineState& run, const json::value& root, std::size_t text_bytes,
                                 JsonProblem& problem)
    : run_(run), heap_(run.heap()), root_(root), problem_(problem), linked_(run) {
  linked_.allow_comparing(text_bytes);
}

JsonValueReader::~JsonValueReader() {
  for (const Value& v : stack_) heap_.release(v);
  for (const Value& v : kept_) heap_.release(v);
  for (const auto& [id, target] : targets_) heap_.release(target.value);
  for (const auto& [doc, v] : early_) heap_.release(v);
  for (const Frame& frame : frames_) {
    if (frame.keys != nullptr) heap_.release(frame.keys);
  }
}

// The constants' own texts come first, so that everything else can be told to be one of them.
bool JsonValueReader::read_shapes(JsonNode shapes) {
  for (const Link& link : run_.links()) {
    for (const Value& constant : link.constants) {
      if (constant.is_string()) constants_.emplace(string_view_of(constant), constant);
    }
  }
  linked_.number_scalars();
  if (!shapes) return true;
  if (!shapes.doc->is_array()) return fail(shapes, "must be an array");
  const json::array& items = shapes.doc->get_array();
  for (std::size_t k = 0; k < items.size(); ++k) {
    const JsonNode shape{&items[k], layout_below(shapes.layout, k)};
    if (!is_key_list(shape.doc)) return fail(shape, "must be a list of keys");
    std::vector<Value> keys;
    for (std::size_t i = 0; i < shape.doc->get_array().size(); ++i) {
      keys.push_back(leaf({&shape.doc->get_array()[i], layout_below(shape.layout, i)}));
      if (keys.back().is_absent()) break;
    }
    const std::string why = problem_.found() ? "" : linked_.add_shape(keys);
    if (!problem_.found() && why.empty()) continue;
    for (const Value& key : keys) heap_.release(key);
    return fail(shape, why);
  }
  return true;
}

bool JsonValueReader::number_linked_objects(JsonNode key_arrays) {
  linked_.number_linked_objects();
  if (!index_targets()) return false;
  if (!key_arrays) return true;
  if (!key_arrays.doc->is_array()) return fail(key_arrays, "must be an array");
  const json::array& items = key_arrays.doc->get_array();
  for (std::size_t k = 0; k < items.size(); ++k) {
    const JsonNode node{&items[k], layout_below(key_arrays.layout, k)};
    if (!is_key_list(node.doc)) return fail(node, "must be a list of keys");
    const std::size_t first = stack_.size();
    const json::array& names = node.doc->get_array();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Begun begun = begin({&names[i], layout_below(node.layout, i)});
      if (begun == Begun::Failed) return false;
      if (begun != Begun::Ready) return fail(node, "keys that are no names");
    }
    KeyArray* const made = assemble_keys(heap_, std::span(stack_).subspan(first), true);
    if (made == nullptr) return fail(node, "keys that are no names, not in order, or there already");
    stack_.resize(first, Value::nil());
    kept_.push_back(hidden(made));
    if (const auto id = layout_number(node.layout, "$id")) settle(*id, hidden(made));
  }
  return true;
}

// Finds what every number stands for: the places that the layout declares, and the list of objects.
bool JsonValueReader::index_targets() {
  const json::object& root = root_.get_object();
  const json::value* const layout = root.if_contains("layout");
  if (layout != nullptr && !layout->is_object()) return fail({layout}, "must be an object");
  const json::object* const facts = layout == nullptr ? nullptr : &layout->get_object();
  if (const json::value* const objects = root.if_contains("objects")) {
    if (!objects->is_object()) return fail({objects}, "must be an object");
    const json::object* const around = layout_below(facts, "objects");
    for (const auto& entry : objects->get_object()) {
      const std::string_view name(entry.key().data(), entry.key().size());
      const JsonNode node{&entry.value(), layout_below(around, name)};
      const auto id = index_of(name);
      if (!id || *id == 0 || *id > UINT32_MAX) return fail(node, "objects are named by numbers from 1");
      const Target added{Target::What::Value, Target::State::Open, node, {}};
      if (!add_target(static_cast<std::uint32_t>(*id), added)) return false;
    }
  }
  std::vector<JsonNode> open;
  if (facts != nullptr) open.push_back({&root_, facts});
  while (!open.empty()) {
    const JsonNode node = open.back();
    open.pop_back();
    if (!index_facts(node, *node.layout, false)) return false;
    for (const auto& entry : *node.layout) {
      const std::string_view name(entry.key().data(), entry.key().size());
      const bool is_fact = name.starts_with('$') && !name.starts_with("$$");
      if (!entry.value().is_object() || is_fact) continue;
      const json::value* const doc = below(node.doc, name.starts_with('$') ? name.substr(1) : name);
      if (doc != nullptr) open.push_back({doc, &entry.value().get_object()});
    }
  }
  return true;
}

bool JsonValueReader::index_facts(JsonNode node, const json::object& facts, bool of_keys) {
  const auto id = layout_number(&facts, "$id");
  const Target::What what = of_keys ? Target::What::Keys : Target::What::Value;
  if (id && !add_target(*id, {what, Target::State::Open, node, {}})) return false;
  const json::object* const keys = of_keys ? nullptr : layout_facts(&facts, "$keys");
  if (keys == nullptr) return true;
  for (const auto& entry : *keys) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (name.starts_with('$') || !entry.value().is_object()) continue;
    const JsonNode text{node.doc, &entry.value().get_object()};
    const auto text_id = layout_number(text.layout, "$id");
    if (text_id && !add_target(*text_id, {Target::What::KeyText, Target::State::Open, text, name})) return false;
  }
  return index_facts(node, *keys, true);
}

bool JsonValueReader::add_target(std::uint32_t id, Target added) {
  const JsonNode node = added.node;
  if (const json::string* tag = tag_of(node.doc); tag != nullptr && (*tag == "ref" || *tag == "const")) {
    return fail(node, "a reference cannot be referred to");
  }
  if (targets_.emplace(id, std::move(added)).second) return true;
  return fail(node, "object " + std::to_string(id) + " is there twice");
}

JsonValueReader::Target* JsonValueReader::target(std::uint32_t id) {
  const auto at = targets_.find(id);
  return at == targets_.end() ? nullptr : &at->second;
}

void JsonValueReader::settle(std::uint32_t id, Value borrowed) {
  Target* const made = target(id);
  if (made == nullptr || made->state == Target::State::Done) return;
  made->state = Target::State::Done;
  made->value = retained(borrowed);
}

Value JsonValueReader::linked(std::uint32_t ordinal) const {
  return ordinal < linked_.linked().size() ? value_of(linked_.linked()[ordinal]) : Value::absent();
}

bool JsonValueReader::read(JsonNode place, Value& out) {
  Begun begun = Begun::Again;
  while (begun == Begun::Again) {
    begun = begin(place);
    while (begun != Begun::Failed && !frames_.empty()) {
      if (step() == Begun::Failed) begun = Begun::Failed;
    }
    if (begun == Begun::Failed) return false;
  }
  if (stack_.back().is(Tag::Hidden)) return fail(place, "an inner object in the place of a value");
  out = stack_.back();
  stack_.pop_back();
  return true;
}

JsonValueReader::Begun JsonValueReader::begin(JsonNode node) {
  if (heap_.over_limit()) {
    fail(node, "more than the memory limit");
    return Begun::Failed;
  }
  const json::value& doc = *node.doc;
  if (doc.is_null()) return push(Value::nil());
  if (doc.is_bool()) return push(Value::boolean(doc.get_bool()));
  if (doc.is_int64()) return push(Value::integer(doc.get_int64()));
  if (doc.is_number()) {
    fail(node, doc.is_double() ? R"(floats are written {"$": "f", "v": "1.5"})"
                               : R"(integers beyond 64 bits are written {"$": "int", "v": "…"})");
    return Begun::Failed;
  }
  if (doc.is_string()) {
    const Value text = leaf(node);
    return text.is_absent() ? Begun::Failed : push(text);
  }
  if (doc.is_array()) return begin_tagged(node, {});
  const json::value* const tag = doc.get_object().if_contains("$");
  if (tag == nullptr) return begin_tagged(node, {});
  if (tag->is_string()) return begin_tagged(node, view_of(tag->get_string()));
  fail(node, "a tag that is no text");
  return Begun::Failed;
}

JsonValueReader::Begun JsonValueReader::begin_tagged(JsonNode node, std::string_view tag) {
  if (tag == "ref" || tag == "const") return refer(node);
  if (tag == "absent") {
    JsonFields fields(node, problem_);
    fields.ignore("$");
    return fields.done() ? push(Value::absent()) : Begun::Failed;
  }
  if (is_leaf_tag(tag)) {
    const Value value = leaf(node);
    return value.is_absent() ? Begun::Failed : push(value);
  }
  if (const auto early = early_.find(node.doc); early != early_.end()) {
    const Value made = early->second;
    early_.erase(early);
    return push(made);
  }
  Frame frame;
  frame.node = node;
  if (const auto id = layout_number(node.layout, "$id")) {
    const Target* const made = target(*id);
    if (made != nullptr && made->state == Target::State::Done) return push(retained(made->value));
    frame.id = *id;
  }
  return parts_of(frame, tag) ? open(frame) : Begun::Failed;
}

JsonValueReader::Begun JsonValueReader::open(Frame frame) {
  frame.first = stack_.size();
  if (Target* const made = target(frame.id)) made->state = Target::State::Building;
  if (const auto keys = layout_number(layout_facts(frame.node.layout, "$keys"), "$id")) {
    Target* const made = target(*keys);
    if (made != nullptr && made->state == Target::State::Open) made->state = Target::State::Building;
  }
  frames_.push_back(frame);
  return Begun::Opened;
}

JsonValueReader::Begun JsonValueReader::refer(JsonNode node) {
  JsonFields fields(node, problem_);
  std::string tag;
  std::uint32_t number = UINT32_MAX;
  fields.text("$", tag);
  fields.number("v", number);
  if (!fields.done()) return Begun::Failed;
  if (tag == "const") {
    const Value object = linked(number);
    if (!object.is_absent()) return push(retained(object));
    fail(node, "the programs have no object " + std::to_string(number));
    return Begun::Failed;
  }
  const Target* const made = target(number);
  if (made == nullptr) {
    fail(node, "there is no object " + std::to_string(number));
    return Begun::Failed;
  }
  if (made->state == Target::State::Done) return push(retained(made->value));
  return demand(number);
}

JsonValueReader::Begun JsonValueReader::demand(std::uint32_t id) {
  const Target wanted = *target(id);
  if (wanted.state == Target::State::Building) {
    fail(wanted.node, "object " + std::to_string(id) + " is a part of itself, or is not there");
    return Begun::Failed;
  }
  if (wanted.what != Target::What::Keys) {
    const Value small = leaf_of_target(id);
    if (!small.is_absent()) return push(retained(small));
    if (problem_.found()) return Begun::Failed;
  }
  const Begun begun = begin(wanted.node);
  if (begun == Begun::Opened) {
    frames_.back().on_demand = true;
    if (wanted.what == Target::What::Value) {
      frames_.back().id = id;
      target(id)->state = Target::State::Building;
    }
    return Begun::Again;
  }
  fail(wanted.node, "object " + std::to_string(id) + " is not there");
  return Begun::Failed;
}

JsonValueReader::Begun JsonValueReader::step() {
  const std::size_t index = frames_.size() - 1;
  Frame& top = frames_[index];
  const bool keyed = top.form == Form::Members || top.form == Form::Pairs || top.form == Form::Set;
  const std::uint32_t key_count = top.form == Form::Members ? 0 : top.a;   // that are parts of their own
  if (keyed && !top.has_keys && top.next == key_count) return take_keys(top);
  if (top.next == top.count) return finish(top) ? Begun::Ready : Begun::Failed;
  const Begun begun = begin(part(top, top.next));
  if (begun == Begun::Ready || begun == Begun::Opened) ++frames_[index].next;
  return begun;
}

bool JsonValueReader::finish(Frame& top) {
  Value made = make(top);
  if (made.is_absent()) return false;
  const Frame frame = top;
  frames_.pop_back();
  if (frame.keys != nullptr) heap_.release(frame.keys);
  if (const auto ordinal = layout_number(frame.node.layout, "$const")) {
    const Value object = linked(*ordinal);
    if (object.tag == made.tag && !object.is(Tag::Hidden) && same_key(made, object)) {
      heap_.release(made);
      made = retained(object);
    }
  }
  if (frame.id != 0) settle(frame.id, made);
  if (!frame.on_demand) {
    stack_.push_back(made);
  } else if (frame.id != 0) {
    heap_.release(made);
  } else {
    early_.emplace(frame.node.doc, made);
  }
  return true;
}

}  // namespace ptc
