// Converts C++ types to values and back. Convert<T> is the extension point:
//
//   template <> struct ptcvm::Convert<Money> {
//     static void write(ptcvm::ValueWriter& out, const Money& m) { out.integer(m.cents); }
//     static ptcvm::Result<Money> read(ptcvm::ValueView v, const ptcvm::Path& at) { … }
//   };
//
// A third function, static ptcvm::ValueShape shape(), may say which values read() takes (value_shape.hpp).
//
// This header converts booleans, integers, floats, strings, std::optional (empty is nil), std::vector, std::map and
// std::unordered_map with string keys, Value and ValueView. describe.hpp converts described structs, and json.hpp
// converts boost::json::value. No conversion loses anything silently: an int that does not fit into the C++ type is an
// error with its path.
#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ptcvm/value.hpp"
#include "ptcvm/value_shape.hpp"

namespace ptcvm {

// The place of a value inside of another one, for messages: "args.items[2].id". A Path lives on the stack of its
// reader.
struct Path {
  const Path* parent = nullptr;               // the place of the outer value; null at the top
  std::string_view name = {};                 // the name of the field, or "" for an element
  std::size_t index = 0;                      // the index of the element, when there is no name
  PTCVM_API std::string text() const;         // returns the whole path, as messages show it
};
// Makes an error for Convert<T>::read(): "args.items[2].id: expected int, got string".
PTCVM_API Error expected(std::string_view what, ValueView got, const Path& at);

// Returns the value as a T, or invalid_value with the place. Views inside of the T are valid as long as the value.
template <class T>
Result<T> read(ValueView value, const Path& at) {
  return Convert<T>::read(value, at);
}
// Returns the same; messages call the value `name`.
template <class T>
Result<T> read(ValueView value, std::string_view name = "value") {
  return Convert<T>::read(value, Path{nullptr, name, 0});
}

template <>
struct Convert<bool> {
  static ValueShape shape() { return {ValueShape::Kind::Bool}; }
  static void write(ValueWriter& out, bool b) { out.boolean(b); }
  static Result<bool> read(ValueView v, const Path& at) {
    if (const auto b = v.as_bool()) return *b;
    return expected("bool", v, at);
  }
};

template <std::integral T>
struct Convert<T> {
  static ValueShape shape() { return {ValueShape::Kind::Int}; }
  static void write(ValueWriter& out, T n) {
    static_assert(sizeof(T) < 8 || std::is_signed_v<T>, "write a std::int64_t: integers are signed");
    out.integer(static_cast<std::int64_t>(n));
  }
  static Result<T> read(ValueView v, const Path& at) {
    const auto n = v.as_int();
    if (!n) return expected("int", v, at);
    if (!std::in_range<T>(*n)) return expected("an int of " + std::to_string(8 * sizeof(T)) + " bits", v, at);
    return static_cast<T>(*n);
  }
};

template <std::floating_point T>
struct Convert<T> {
  static ValueShape shape() { return {ValueShape::Kind::Float}; }
  static void write(ValueWriter& out, T x) { out.real(static_cast<double>(x)); }
  static Result<T> read(ValueView v, const Path& at) {
    if (const auto x = v.as_double()) return static_cast<T>(*x);
    return expected("float", v, at);
  }
};

template <>
struct Convert<std::string> {
  static ValueShape shape() { return {ValueShape::Kind::String}; }
  static void write(ValueWriter& out, std::string_view s) { out.string(s); }
  static Result<std::string> read(ValueView v, const Path& at) {
    if (const auto s = v.as_string()) return std::string(*s);
    return expected("string", v, at);
  }
};
// read() gives a text that is borrowed from the value.
template <>
struct Convert<std::string_view> {
  static ValueShape shape() { return {ValueShape::Kind::String}; }
  static void write(ValueWriter& out, std::string_view s) { out.string(s); }
  static Result<std::string_view> read(ValueView v, const Path& at) {
    if (const auto s = v.as_string()) return *s;
    return expected("string", v, at);
  }
};
template <>
struct Convert<const char*> {
  static void write(ValueWriter& out, const char* s) { out.string(s); }
};
template <>
struct Convert<char*> : Convert<const char*> {};   // a literal decays to this type
template <>
struct Convert<std::nullptr_t> {
  static void write(ValueWriter& out, std::nullptr_t) { out.nil(); }
};
template <>
struct Convert<ValueView> {
  static void write(ValueWriter& out, ValueView v) { out.copy(v); }
  static Result<ValueView> read(ValueView v, const Path&) { return v; }   // borrowed
};
template <>
struct Convert<TemporaryView> : Convert<ValueView> {};
template <>
struct Convert<Value> {
  static void write(ValueWriter& out, const Value& v) { out.copy(v.view()); }
  static Result<Value> read(ValueView v, const Path&) { return Value::copy_of(v); }
};

template <class T>
struct Convert<std::optional<T>> {
  static ValueShape shape() {
    ValueShape out = shape_of<T>();
    out.takes_nil = true;
    return out;
  }
  static void write(ValueWriter& out, const std::optional<T>& x) { x ? out.write(*x) : out.nil(); }
  static Result<std::optional<T>> read(ValueView v, const Path& at) {
    if (v.is_nil()) return std::optional<T>();
    auto inner = Convert<T>::read(v, at);
    if (!inner) return std::move(inner).error();
    return std::optional<T>(std::move(*inner));
  }
};

template <class T>
struct Convert<std::vector<T>> {
  static ValueShape shape() { return {ValueShape::Kind::List, false, &shape_of<T>}; }
  static void write(ValueWriter& out, const std::vector<T>& items) {
    out.begin_vector();
    for (const auto& item : items) out.write(static_cast<const T&>(item));
    out.end();
  }
  static Result<std::vector<T>> read(ValueView v, const Path& at) {
    if (v.kind() != ValueKind::Vector && v.kind() != ValueKind::Set) return expected("list", v, at);
    std::vector<T> out;
    out.reserve(v.size());
    for (const ValueView item : v.items()) {
      auto read = Convert<T>::read(item, Path{&at, {}, out.size()});
      if (!read) return std::move(read).error();
      out.push_back(std::move(*read));
    }
    return out;
  }
};

template <class M>
struct ConvertMap {
  static ValueShape shape() { return {ValueShape::Kind::Map, false, &shape_of<typename M::mapped_type>}; }
  static void write(ValueWriter& out, const M& map) {
    out.begin_map();
    for (const auto& [key, value] : map) out.entry(key, value);
    out.end();
  }
  static Result<M> read(ValueView v, const Path& at) {
    if (v.kind() != ValueKind::Map) return expected("map", v, at);
    M out;
    for (const auto& [key, value] : v.entries()) {
      const auto name = key.as_string() ? key.as_string() : key.as_keyword();
      if (!name) return expected("string or keyword as a key", key, at);
      auto read = Convert<typename M::mapped_type>::read(value, Path{&at, *name, 0});
      if (!read) return std::move(read).error();
      out.emplace(std::string(*name), std::move(*read));
    }
    return out;
  }
};
template <class T>
struct Convert<std::map<std::string, T>> : ConvertMap<std::map<std::string, T>> {};
template <class T>
struct Convert<std::unordered_map<std::string, T>> : ConvertMap<std::unordered_map<std::string, T>> {};

}  // namespace ptcvm
