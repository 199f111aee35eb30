// Reads the values of the JSON face into the heap of a run. The text may come from anywhere, and people may have
// changed it. Every value is checked when it is made. vm/value/assemble.h, or functions that the language itself uses,
// build the collections.
//
// The reader ignores a layout that does not fit its value (any more): the fact that a value is an object of a program,
// or the same object as another, counts only while both look the same. A reference that leads nowhere, or to itself, is
// refused.
//
// The order in which values are read does not matter: an object that is declared later is made when the first reference
// needs it. Nothing recurses; the parser bounds the depth of the document.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "vm/snapshot/json/json_fields.h"
#include "vm/snapshot/value_reader.h"

namespace ptc {

class MachineState;

class JsonValueReader {
 public:
  JsonValueReader(MachineState& run, const json::value& root, std::size_t text_bytes, JsonProblem& problem);
  ~JsonValueReader();
  JsonValueReader(const JsonValueReader&) = delete;
  JsonValueReader& operator=(const JsonValueReader&) = delete;

  // Call these functions in this order; see value_reader.h.
  [[nodiscard]] bool read_shapes(JsonNode shapes);
  [[nodiscard]] bool number_linked_objects(JsonNode key_arrays);
  [[nodiscard]] bool read(JsonNode place, Value& out);      // the caller owns `out`

 private:
  enum class Form : std::uint8_t {
    Array, Members, Pairs, Set, KeyedMap, KeyedSet, Closure, Trie, Node, Leaf, Hash, Entries
  };
  enum class Begun : std::uint8_t { Ready, Opened, Again, Failed };   // Again: another object must be made first

  // A collection that is being made. Its parts are on the stack from `first` on.
  struct Frame {
    JsonNode node;
    Form form{};
    std::size_t first = 0;
    std::uint32_t next = 0, count = 0;
    std::uint32_t id = 0;                  // 0 when no reference names it
    bool on_demand = false;                // true when a reference needs it, not the frame below
    bool has_keys = false;                 // true when keys and places are set
    KeyArray* keys = nullptr;              // owned
    std::array<std::uint8_t, kSmallMax> places{};
    const json::array* list = nullptr;
    const json::array* children = nullptr;
    std::uint32_t a = 0, b = 0, c = 0;     // the numbers of the form
    bool is_set = false, is_collision = false;
  };

  // The target of the number of a reference.
  struct Target {
    enum class What : std::uint8_t { Value, Keys, KeyText };   // Keys: the keys of the map or set at node
    enum class State : std::uint8_t { Open, Building, Done };
    What what{};
    State state{};
    JsonNode node;
    std::string_view text;                 // KeyText
    Value value = Value::nil();            // owned once Done
  };

  bool fail(JsonNode where, std::string why) { return problem_.fail(where.doc, std::move(why)); }
  bool index_targets();
  bool index_facts(JsonNode node, const json::object& facts, bool of_keys);
  bool add_target(std::uint32_t id, Target target);
  Target* target(std::uint32_t id);
  void settle(std::uint32_t id, Value borrowed);
  Value linked(std::uint32_t ordinal) const;                 // borrowed; returns Absent when there is no such object

  Begun begin(JsonNode node);
  Begun begin_tagged(JsonNode node, std::string_view tag);
  Begun refer(JsonNode node);
  Begun demand(std::uint32_t id);
  Begun open(Frame frame);
  Begun push(Value made) {
    stack_.push_back(made);
    return Begun::Ready;
  }
  bool parts_of(Frame& frame, std::string_view tag);
  JsonNode part(const Frame& frame, std::uint32_t k) const;

  Begun step();
  Begun take_keys(Frame& frame);
  bool push_member_keys(const Frame& frame);
  bool key_hint(const Frame& frame, std::span<const std::uint8_t> sorted, KeyArray*& found, bool& again);
  bool finish(Frame& frame);
  Value make(Frame& frame);                                  // Absent when it failed
  Value make_map(Frame& frame);
  Value make_large_map(Frame& frame, std::span<Value> keys, std::span<Value> values);
  Value make_set(Frame& frame);
  Value make_vector(Frame& frame);
  Value make_closure(Frame& frame);
  Value make_node(Frame& frame);
  Value make_entries(Frame& frame);
  Value make_trie(Frame& frame);
  Value make_hash(Frame& frame);
  bool visible(const Frame& frame, std::span<const Value> values);
  Part part_of(Object* object) const;
  bool few_collisions(const Frame& frame, std::span<const Value> keys, std::size_t stride);

  // json_leaves.cpp reads values without parts that are collections.
  bool is_leaf_tag(std::string_view tag) const;
  Value leaf(JsonNode node);                                 // Absent when it failed
  Value text_value(std::string_view text, const json::object* facts);
  Value bare_leaf(JsonNode node);
  Value tagged_leaf(JsonNode node, JsonFields& fields, std::string_view tag);
  Value integer(JsonNode node, std::string_view text);
  Value temporal(JsonNode node, JsonFields& fields, std::string_view tag);
  Value leaf_of_target(std::uint32_t id);                    // borrowed; returns Absent when there is no leaf

  MachineState& run_;
  Heap& heap_;
  const json::value& root_;
  JsonProblem& problem_;
  ValueReader linked_;
  boost::unordered_flat_map<std::string_view, Value> constants_;   // texts of programs, borrowed
  boost::unordered_flat_map<std::uint32_t, Target> targets_;
  boost::unordered_flat_map<const json::value*, Value> early_;     // maps that were made for their keys, owned
  boost::unordered_flat_map<const Object*, PartInfo> infos_;
  std::vector<Frame> frames_;
  std::vector<Value> stack_;                                       // owned
  std::vector<Value> kept_;                                        // key arrays, owned
};

}  // namespace ptc
