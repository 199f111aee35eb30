// Values of the language, as hosts see them.
//
//   ValueView     looks at a value that lives in a run or in a Value. Cheap to copy (three words), owns nothing: it is
//                 valid as long as what it looks into is neither changed nor destroyed (each function says how long).
//   Value         owns a value that belongs to no run. Movable, not copyable (clone()).
//   ValueWriter   puts a value together, straight into the heap of a run or of a Value.
//
// Nothing here is changed by being looked at, but neither views nor values may be used by two threads at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/result.hpp"

namespace ptcvm {

// What a value is. BigInt is an integer beyond 64 bits; Var and Function are no data.
enum class ValueKind : std::uint8_t {
  Nil, Bool, Int, BigInt, Float, String, Keyword, Vector, Map, Set, Date, Instant, Duration, Regex, Var, Function,
  Pending
};
PTCVM_API const char* value_kind_name(ValueKind kind);   // "nil", "int", "map", …

class ValueEntries;

// Looks at a value that somebody else owns.
class PTCVM_API ValueView {
 public:
  ValueView() = default;                                // nil

  ValueKind kind() const;                               // of a default view Nil
  bool is_nil() const { return kind() == ValueKind::Nil; }   // also of a default view
  explicit operator bool() const;                       // as the language takes it: neither nil nor false

  // The content, when the value is of that kind; nothing else is converted.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int() const;           // Int, not BigInt
  std::optional<double> as_double() const;              // Float or Int
  std::optional<std::string_view> as_string() const;    // UTF-8; borrowed from the value
  std::optional<std::string_view> as_keyword() const;   // its name without the colon; borrowed
  std::optional<std::string_view> as_pending() const;   // the id of the operation that a handle stands for; borrowed

  std::size_t size() const;                             // elements, entries or members; of anything else 0
  ValueView operator[](std::size_t index) const;        // of a vector; nil beyond its end
  // The value at that string or keyword key of a map, "-" and "_" taken as the same; nil when there is none.
  ValueView operator[](std::string_view key) const;
  ValueView operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  std::vector<ValueView> items() const;                 // of a vector, or of a set in the language's order
  ValueEntries entries() const;                         // of a map, in the language's order of keys

  std::string to_edn() const;                           // readable text that the language prints
  std::string to_json() const;                          // keywords as their names, sets as arrays, functions as text

  friend PTCVM_API bool operator==(const ValueView& a, const ValueView& b);   // as (= a b)

 private:
  friend struct ValueAccess;
  std::uint64_t tag_ = 0, bits_ = 0;
  void* heap_ = nullptr;
};

// An entry of a map.
struct ValueEntry {
  ValueView key, value;   // valid as long as the view of the map
};

// The entries of a map: a range for loops. The entries are views.
class ValueEntries {
 public:
  // Made by ValueView::entries().
  explicit ValueEntries(std::vector<ValueEntry> entries) : entries_(std::move(entries)) {}
  // In the language's order of keys.
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<ValueEntry> entries_;
};

template <class T, class Enable = void>
struct Convert;   // convert.hpp

// Writes one value, part by part: either one scalar, or one collection with what is in it. A collection that is not
// closed is closed at the end; of what is written behind the value the last thing counts; a key without a value gets
// nil. So any sequence of calls gives a value.
class PTCVM_API ValueWriter {
 public:
  struct Impl;   // of the library
  // Scalars; each gives the writer again.
  ValueWriter& nil();
  ValueWriter& boolean(bool b);
  ValueWriter& integer(std::int64_t n);
  ValueWriter& real(double x);
  ValueWriter& string(std::string_view utf8);           // malformed bytes become U+FFFD
  ValueWriter& keyword(std::string_view name);          // without the colon
  ValueWriter& copy(ValueView value);                   // plain data; anything else becomes nil
  ValueWriter& key(std::string_view name) { return map_key(name); }   // a string key; then its value

  // A collection: what is written up to its end() is in it. Of a map that is keys and values by turns.
  ValueWriter& begin_vector();
  ValueWriter& begin_map();
  ValueWriter& begin_set();
  ValueWriter& end();                                   // of the innermost open collection

  template <class T>
  ValueWriter& write(const T& x) {                      // by Convert<T>
    Convert<std::decay_t<T>>::write(*this, x);
    return *this;
  }
  // A key and its value, by Convert<T>.
  template <class T>
  ValueWriter& entry(std::string_view name, const T& x) {
    return map_key(name).write(x);
  }
  template <class F>
  ValueWriter& map(F&& fill) {                          // fill(ValueWriter&) writes the entries
    begin_map();
    fill(*this);
    return end();
  }
  // A vector: fill(ValueWriter&) writes the elements.
  template <class F>
  ValueWriter& vector(F&& fill) {
    begin_vector();
    fill(*this);
    return end();
  }

  ValueWriter(const ValueWriter&) = delete;
  ValueWriter& operator=(const ValueWriter&) = delete;

 private:
  friend struct ValueAccess;
  template <class T, class Enable>
  friend struct Convert;
  explicit ValueWriter(Impl& impl) : impl_(impl) {}
  // A map of these keys: their values follow, then end(). The names lie in static memory, one array a type of record.
  ValueWriter& begin_record(std::span<const std::string_view> names);
  ValueWriter& map_key(std::string_view name);
  Impl& impl_;
};

// Owns a value that belongs to no run.
class PTCVM_API Value {
 public:
  struct Impl;   // of the library
  Value();                                              // nil
  ~Value();
  Value(Value&& moved) noexcept;
  Value& operator=(Value&& moved) noexcept;

  static Result<Value> from_edn(std::string_view text);    // invalid_value: message says where
  static Result<Value> from_json(std::string_view text);   // objects become maps with string keys
  static Value copy_of(ValueView value);                // plain data; anything else becomes nil
  template <class T>
  static Value of(const T& x) {                         // by Convert<T>
    return build([&x](ValueWriter& out) { out.write(x); });
  }
  template <class F>
  static Value build(F&& fill) {                        // fill(ValueWriter&)
    Builder builder;
    fill(builder.writer());
    return builder.finish();
  }
  Value clone() const { return copy_of(view()); }       // an own copy, for another thread, say

  ValueView view() const;                               // valid while this is neither moved from nor destroyed
  operator ValueView() const { return view(); }         // NOLINT: a value can stand wherever a view is wanted
  std::string to_edn() const { return view().to_edn(); }     // as ValueView::to_edn()
  std::string to_json() const { return view().to_json(); }   // as ValueView::to_json()

 private:
  friend struct ValueAccess;
  class PTCVM_API Builder {
   public:
    Builder();
    ~Builder();
    ValueWriter& writer();
    Value finish();

   private:
    struct State;
    std::unique_ptr<State> state_;
  };
  explicit Value(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;                          // null: nil
};

}  // namespace ptcvm
