// The types of generated programs. Types are interned: equal types are the same pointer.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>

namespace ptc::generator {

enum class Kind : std::uint8_t {
  Int, Float, String, Keyword, Bool,
  Record,          // a map with the fields of record_fields()
  IntSet,
  Vector,          // of element
  KeywordMap,      // keyword -> element
  StringMap,       // string -> element
  Handle,          // an operation that gives element
  Function,        // element -> result
};

struct Type {
  Kind kind;
  const Type* element = nullptr;
  const Type* result = nullptr;
  bool has_handle = false;         // somewhere inside: not to be printed, compared or passed to tools
  bool has_function = false;
  bool is_data() const { return !has_handle && !has_function; }
  bool is_scalar() const { return kind <= Kind::Bool; }
  bool is_collection() const { return kind == Kind::Vector || kind == Kind::KeywordMap || kind == Kind::StringMap; }
};
using TypeRef = const Type*;

class TypeTable {
 public:
  TypeRef scalar(Kind kind) { return find(kind, nullptr, nullptr); }
  TypeRef vector_of(TypeRef element) { return find(Kind::Vector, element, nullptr); }
  TypeRef keyword_map_of(TypeRef element) { return find(Kind::KeywordMap, element, nullptr); }
  TypeRef string_map_of(TypeRef element) { return find(Kind::StringMap, element, nullptr); }
  TypeRef handle_of(TypeRef element) { return find(Kind::Handle, element, nullptr); }
  TypeRef function(TypeRef from, TypeRef to) { return find(Kind::Function, from, to); }
  std::size_t size() const { return types_.size(); }

 private:
  TypeRef find(Kind kind, TypeRef element, TypeRef result) {
    TypeRef& known = by_parts_[{kind, element, result}];
    if (known != nullptr) return known;
    const bool handle = kind == Kind::Handle || (element != nullptr && element->has_handle);
    const bool function = kind == Kind::Function || (element != nullptr && element->has_function);
    known = &types_.emplace_back(Type{kind, element, result, handle, function});
    return known;
  }

  std::deque<Type> types_;         // never moves an element
  std::map<std::tuple<Kind, TypeRef, TypeRef>, TypeRef> by_parts_;
};

}  // namespace ptc::generator
