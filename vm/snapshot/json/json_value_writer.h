// Writes values as JSON, for people first: plain JSON where JSON has the value, a tag ({"$": "kw", …}) for everything
// else. Facts that matter only to memory accounting go to the layout (json_layout.h).
//
// An object with several holders is written at its first place, and later places refer to it. So the text is never
// longer than the heap suggests, however much is shared. Nothing recurses: collections that are being written keep
// their place in `open_`, and objects deeper than kMaxDepth go to a list of their own.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "vm/snapshot/json/json_layout.h"
#include "vm/snapshot/json/json_text.h"
#include "vm/snapshot/shared_objects.h"
#include "vm/value/map_layout.h"

namespace ptc {

class MachineView;

class JsonValueWriter {
 public:
  static constexpr std::size_t kMaxDepth = 64;            // the greatest depth of the JSON
  static constexpr std::size_t kMaxRepeatedBytes = 64;    // longest text that is written again instead of referred to
  static constexpr std::size_t kMaxRepeatedKeys = 256;    // most bytes of keys of one map that are written again

  JsonValueWriter(const MachineView& run, const ValueWriter& linked, JsonText& out);

  // Call meet() for every value that will be put, then choose_key_arrays(), then put().
  void meet(Value value) { shared_.meet(value); }
  void choose_key_arrays();

  void put(Value value);
  // Returns shared key arrays of names whose strings differ from the strings that reading would take or make.
  const std::vector<const KeyArray*>& key_arrays() const { return listed_; }
  void put_key_array(const KeyArray* keys);
  // Writes a shape of a program: strings with a lower ordinal exist before it.
  void put_shape(const KeyArray* keys, std::uint32_t first_ordinal);
  // Write the objects that were too deep as members of an object, by their numbers.
  bool has_postponed() const { return !postponed_.empty(); }
  void put_postponed();

  LayoutWriter layout;

 private:
  enum class Form : std::uint8_t { Array, Members, Pairs, List, Named, Entries, Done };
  struct Open {
    Value value;
    Form form;
    bool quiet;                        // true for an object of a program, whose parts have no facts of their own
    bool quiet_keys;
    bool in_child = false;
    std::uint32_t next = 0, count = 0;
    std::uint32_t first_part = 0;      // List: the first part to write
    std::vector<MapEntry> sorted;      // the entries of a large map or set
  };

  void begin(Value value, bool quiet);
  bool scalar(Value value);
  void string(Value value, bool quiet);
  void text_facts(Value string);
  void key_facts(Value key);
  void object(Value value, bool quiet);
  bool refer(Value value, bool& quiet);                   // returns false when the value must be written here
  void small_object(Value value, bool quiet);
  void composite(Value value, bool quiet);
  void vector(Value value, Open& open);
  void map(Value value, Open& open);
  void set(Value value, Open& open);
  void hashed(Value value, Open& open);
  void closure(Value value, Open& open);
  void node(Value value, Open& open);
  bool keys(const KeyArray* keys, Open& open);            // returns false when a reference was written
  void step();
  void enter_child(Open& open, std::uint32_t k);
  void leave_child(Open& open, std::uint32_t k);
  void finish(const Open& open);
  Value child(const Open& open, std::uint32_t k) const;

  void tagged(std::string_view tag);
  void open_list(std::string_view name);
  void reference(const Met& met);
  std::uint32_t declare(Met& met) { return met.id = ++last_id_; }
  std::uint32_t node_level() const;
  void postpone(Value value, Met& met);
  bool is_regular(const TrieVector* trie, bool quiet);
  bool is_regular(const HashMap* hashed, bool quiet);
  bool is_default_text(Value string);

  const MachineView& run_;
  JsonText& out_;
  SharedObjects shared_;
  std::vector<Open> open_;
  std::vector<const KeyArray*> listed_;
  std::vector<std::pair<Value, std::uint32_t>> postponed_;
  boost::unordered_flat_map<const Object*, Met> lone_;    // postponed objects with one place
  std::uint32_t last_id_ = 0;
};

}  // namespace ptc
