// Values of the language, for hosts.
//
//   ValueView     looks at a value in a run or in a Value. A view is cheap to copy (three words of 64 bits) and owns
//                 nothing. Each function that returns a view says how long the view is valid.
//   Value         owns a value that belongs to no run. A Value can be moved; clone() copies it.
//   ValueWriter   builds a value in the heap of a run or of a Value.
//
// Looking at a value does not change it. Even so, only one thread at a time may use a view or a Value.
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

// The kind of a value. A BigInt is an integer of more than 64 bits. Vars and functions are not plain data.
enum class ValueKind : std::uint8_t {
  Nil, Bool, Int, BigInt, Float, String, Keyword, Vector, Map, Set, Date, Instant, Duration, Regex, Var, Function,
  Pending
};
PTCVM_API const char* value_kind_name(ValueKind kind);   // returns "nil", "int", "map", …

class ValueEntries;

// Looks at a value that a run or a Value owns.
class PTCVM_API ValueView {
 public:
  ValueView() = default;                                // makes a view of nil

  ValueKind kind() const;                               // returns Nil for a default view
  bool is_nil() const { return kind() == ValueKind::Nil; }   // returns true for a default view, too
  explicit operator bool() const;                       // returns false for nil and false, as the language does

  // These functions return the content, or nullopt when the value has another kind. Only ints convert, to doubles.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int() const;           // returns nullopt for a BigInt
  std::optional<double> as_double() const;              // takes a Float or an Int
  std::optional<std::string_view> as_string() const;    // returns UTF-8, borrowed from the value
  std::optional<std::string_view> as_keyword() const;   // returns the name without the colon, borrowed from the value
  std::optional<std::string_view> as_pending() const;   // returns the id of the operation, borrowed from the value

  std::size_t size() const;                             // returns the number of elements or entries, or 0 for a scalar
  ValueView operator[](std::size_t index) const;        // returns the element of a vector, or nil beyond the end
  // Returns the value at that string or keyword key of a map, or nil. "-" and "_" count as the same character.
  ValueView operator[](std::string_view key) const;
  ValueView operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  std::vector<ValueView> items() const;                 // returns the elements of a vector or, in order, of a set
  ValueEntries entries() const;                         // returns the entries of a map in the order of the language
  // Returns the first part that is not plain data, or nullopt when the whole value is plain data: nil, booleans,
  // numbers, strings, keywords, and vectors, maps and sets of plain data. Answers of tools must be plain data.
  std::optional<ValueView> part_not_plain() const;

  std::string to_edn() const;                           // returns the text that the language prints and reads
  // Returns the text for people: short forms of functions and dates. The text ends soon after `most_bytes` bytes.
  std::string to_text(std::size_t most_bytes = SIZE_MAX) const;
  std::string to_json() const;                          // writes keywords as names, sets as arrays, functions as text

  friend PTCVM_API bool operator==(const ValueView& a, const ValueView& b);   // compares as (= a b)

 private:
  friend struct ValueAccess;
  std::uint64_t tag_ = 0, bits_ = 0;
  void* heap_ = nullptr;
};

// An entry of a map.
struct ValueEntry {
  ValueView key, value;   // valid as long as the view of the map
};

// The entries of a map, as a range for loops. The entries are views.
class ValueEntries {
 public:
  // ValueView::entries() makes the range.
  explicit ValueEntries(std::vector<ValueEntry> entries) : entries_(std::move(entries)) {}
  // The range is in the order of keys of the language.
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<ValueEntry> entries_;
};

// A view of a Value that is destroyed at the end of the statement, as in Value::of(1).view(). A TemporaryView is a
// ValueView in every way except one: BorrowedView does not take it.
class TemporaryView : public ValueView {
 public:
  explicit TemporaryView(ValueView view) : ValueView(view) {}   // makes a view of the same value
  // Each operator returns a part of the value, as the operators of ValueView do.
  TemporaryView operator[](std::size_t index) const { return TemporaryView(ValueView::operator[](index)); }
  TemporaryView operator[](std::string_view key) const { return TemporaryView(ValueView::operator[](key)); }
  TemporaryView operator[](const char* key) const { return TemporaryView(ValueView::operator[](key)); }
};

class Value;
class ValueResult;

// A view that is kept until it is used, such as RunOptions::data. A BorrowedView takes views and Values that have a
// name, and does not compile with a Value that is destroyed before the view is used.
class BorrowedView : public ValueView {
 public:
  BorrowedView() = default;                             // makes a view of nil
  BorrowedView(ValueView view) : ValueView(view) {}     // NOLINT: a view may be given as it is
  BorrowedView(const Value& value);                     // NOLINT: so may a value
  BorrowedView(const Value&& value) = delete;           // give the value a name: it must outlive the view
  BorrowedView(const TemporaryView& view) = delete;     // the same
};

template <class T, class Enable = void>
struct Convert;   // convert.hpp

// Writes one value part by part: one scalar, or one collection with its elements. Any sequence of calls makes a value:
// the writer closes open collections at the end, gives nil to a key without a value, and keeps the last value when more
// than one is written.
class PTCVM_API ValueWriter {
 public:
  struct Impl;   // internal
  // Each function writes one scalar and returns the writer.
  ValueWriter& nil();
  ValueWriter& boolean(bool b);
  ValueWriter& integer(std::int64_t n);
  ValueWriter& real(double x);
  ValueWriter& string(std::string_view utf8);           // replaces malformed bytes with U+FFFD
  ValueWriter& keyword(std::string_view name);          // takes the name without the colon
  ValueWriter& copy(ValueView value);                   // copies plain data; functions and vars become nil
  ValueWriter& key(std::string_view name) { return map_key(name); }   // writes a string key; write its value next

  // Each begin function opens a collection, and end() closes the innermost open one. For a map, write keys and values
  // in turn.
  ValueWriter& begin_vector();
  ValueWriter& begin_map();
  ValueWriter& begin_set();
  ValueWriter& end();                                   // closes the innermost open collection

  template <class T>
  ValueWriter& write(const T& x) {                      // writes with Convert<T>
    Convert<std::decay_t<T>>::write(*this, x);
    return *this;
  }
  // Writes a key, and its value with Convert<T>.
  template <class T>
  ValueWriter& entry(std::string_view name, const T& x) {
    return map_key(name).write(x);
  }
  template <class F>
  ValueWriter& map(F&& fill) {                          // writes a map; fill(ValueWriter&) writes the entries
    begin_map();
    fill(*this);
    return end();
  }
  // Writes a vector; fill(ValueWriter&) writes the elements.
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
  // Opens a map with these keys. The values follow in the same order, then end(). The names must be in static memory,
  // with one array for each type of record.
  ValueWriter& begin_record(std::span<const std::string_view> names);
  ValueWriter& map_key(std::string_view name);
  Impl& impl_;
};

// Returns EDN text as JSON text, as ValueView::to_json() writes it. Text that is not EDN becomes a JSON string, as
// functions do; "" becomes null.
PTCVM_API std::string json_of_edn(std::string_view edn);

// Owns a value that belongs to no run.
class PTCVM_API Value {
 public:
  struct Impl;   // internal
  Value();                                              // makes nil
  ~Value();
  Value(Value&& moved) noexcept;
  Value& operator=(Value&& moved) noexcept;

  // Read EDN; or JSON, whose objects become maps with string keys. invalid_value: the message has the place, and
  // Error::diagnostic has the message alone, and the place as Diagnostic::begin.
  static ValueResult from_edn(std::string_view text);
  static ValueResult from_json(std::string_view text);
  static Value copy_of(ValueView value);                // copies plain data; functions and vars become nil
  template <class T>
  static Value of(const T& x) {                         // makes a value with Convert<T>
    return build([&x](ValueWriter& out) { out.write(x); });
  }
  template <class F>
  static Value build(F&& fill) {                        // makes the value that fill(ValueWriter&) writes
    Builder builder;
    fill(builder.writer());
    return builder.finish();
  }
  Value clone() const { return copy_of(view()); }       // returns a copy, for example for another thread

  ValueView view() const&;                              // is valid until the Value is moved from or destroyed
  TemporaryView view() const&& { return TemporaryView(static_cast<const Value&>(*this).view()); }   // the same
  operator ValueView() const { return view(); }         // NOLINT: a Value can be used wherever a view is expected
  std::string to_edn() const { return view().to_edn(); }     // does what ValueView::to_edn() does
  std::string to_json() const { return view().to_json(); }   // does what ValueView::to_json() does

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
  std::unique_ptr<Impl> impl_;                          // null for nil
};

// A Value, or the Error of what was not taken for one. A ValueResult is a Result<Value> in every way except one: a
// ValueResult without a name has no ->, so that Value::from_edn(text)->view() does not compile. A view of its value
// would outlive the value. Give the result a name, or write Value::from_edn(text).value().to_json().
class ValueResult : public Result<Value> {
 public:
  ValueResult(Value value) : Result<Value>(std::move(value)) {}   // NOLINT: a function returns the value as it is
  ValueResult(Error error) : Result<Value>(std::move(error)) {}   // NOLINT: the same for an error
  // Return the value of a result that has a name; the result must hold a value.
  Value* operator->() & noexcept { return Result<Value>::operator->(); }
  const Value* operator->() const& noexcept { return Result<Value>::operator->(); }
  Value* operator->() && = delete;                      // give the result a name: it must outlive the view
  const Value* operator->() const&& = delete;           // the same
};

inline BorrowedView::BorrowedView(const Value& value) : ValueView(value.view()) {}

}  // namespace ptcvm
