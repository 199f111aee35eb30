// A Value is one PTC-Lisp value: 16 bytes, tag and payload.
//
// A Value is a plain pair of words and owns nothing by itself: copying the words does not make a new reference. The
// code around a Value decides who holds a reference. Every function says one of
//   borrows   the caller keeps its reference; the callee may look, and must retain() what it keeps
//   takes     the callee gets the caller's reference, and must store or release() it, also when it fails
//   returns   unless it says "borrowed", a returned Value carries a reference that the caller now owns
// All reference counting goes through Heap (heap.h): retain(v) and heap.release(v).
#pragma once
#include <bit>
#include <cstdint>

namespace ptc {

enum class Tag : std::uint64_t {  // written 8 bytes wide: narrower stores break store forwarding
  // Immediate values: nothing to count. nil and false come first, so "truthy" is one compare.
  Nil = 0,
  False = 1,
  True = 2,
  Int = 3,      // 64-bit; larger integers are BigInt
  Float = 4,    // IEEE binary64, incl. infinities and NaN
  Keyword = 5,  // -> Keyword, interned in the heap of the run and alive as long as that heap
  Builtin = 6,  // a builtin function; payload: BuiltinId
  Date = 7,     // calendar date; payload: days since 1970-01-01
  Tool = 8,     // a host tool as a function value; payload: -> Keyword that holds its name
  Absent = 9,   // internal: "no such entry" and "a fault is parked". Never visible to a program
  // Counted heap objects
  String = 16,
  BigInt = 17,
  Vector = 18,
  Map = 19,
  Set = 20,
  Closure = 21,
  Regex = 22,
  Var = 23,       // the inert value of def; prints #'name
  Instant = 24,   // date-time, UTC, nanoseconds
  Duration = 25,
  Pending = 26,   // handle of an asynchronous operation
  Hidden = 31,    // an internal object (key array, trie node) held by a builtin's slot; never visible to a program
};

inline constexpr Tag kFirstHeapTag = Tag::String;

struct Object;
struct Keyword;
enum class BuiltinId : std::uint16_t;

struct Value {
  Tag tag;
  union {
    std::int64_t i;
    double d;
    std::uint64_t bits;
    Object* object;
    const Keyword* keyword;
  };

  static Value nil() { return {Tag::Nil, {0}}; }
  static Value boolean(bool b) { return {b ? Tag::True : Tag::False, {0}}; }
  static Value integer(std::int64_t n) { return {Tag::Int, {n}}; }
  static Value real(double x) {
    Value v{Tag::Float, {0}};
    v.d = x;
    return v;
  }
  static Value of(const Keyword* k) {
    Value v{Tag::Keyword, {0}};
    v.keyword = k;
    return v;
  }
  static Value of(BuiltinId id) { return {Tag::Builtin, {static_cast<std::int64_t>(id)}}; }
  static Value date(std::int64_t epoch_days) { return {Tag::Date, {epoch_days}}; }
  static Value absent() { return {Tag::Absent, {0}}; }
  // Wraps an object. The caller owns the reference.
  static Value of(Tag tag, Object* object) {
    Value v{tag, {0}};
    v.object = object;
    return v;
  }

  bool is(Tag t) const { return tag == t; }
  bool is_nil() const { return tag == Tag::Nil; }
  bool is_int() const { return tag == Tag::Int; }
  bool is_float() const { return tag == Tag::Float; }
  bool is_integer() const { return tag == Tag::Int || tag == Tag::BigInt; }
  bool is_number() const { return tag == Tag::Int || tag == Tag::Float || tag == Tag::BigInt; }
  bool is_string() const { return tag == Tag::String; }
  bool is_keyword() const { return tag == Tag::Keyword; }
  bool is_vector() const { return tag == Tag::Vector; }
  bool is_map() const { return tag == Tag::Map; }
  bool is_set() const { return tag == Tag::Set; }
  bool is_absent() const { return tag == Tag::Absent; }
  bool is_function() const { return tag == Tag::Closure || tag == Tag::Builtin || tag == Tag::Tool; }
  bool is_heap() const { return tag >= kFirstHeapTag; }
  bool truthy() const { return tag > Tag::False; }
  BuiltinId builtin() const { return static_cast<BuiltinId>(i); }
};
static_assert(sizeof(Value) == 16);

// Returns whether tag and payload word are the same: identity of objects, equality of immediates (floats bit for bit).
inline bool same_word(Value a, Value b) { return a.tag == b.tag && a.bits == b.bits; }

}  // namespace ptc
