// The shape of the values that a C++ type can be read from, so that Tools::add() can hold the parameters of a callable
// against a signature. Convert<T> says it with a static function shape(); for a Convert<T> without this function every
// value may fit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptcvm {

template <class T, class Enable>
struct Convert;   // convert.hpp

struct ShapeField;

// Says which values fit a C++ type. A ValueShape owns nothing; its parts are in static memory.
struct ValueShape {
  // Enum: the name of an enumerator, as a string or a keyword. Record: a map with the fields of a struct.
  enum class Kind : std::uint8_t { Any, Bool, Int, Float, String, Enum, List, Map, Record };
  using Maker = ValueShape (*)();                // returns the shape of another type, which may be the type itself
  Kind kind = Kind::Any;                         // says which of the other members are set
  bool takes_nil = false;                        // whether nil fits, and so a missing argument
  Maker element = nullptr;                       // List, Map: the shape of the elements, or of the values
  const ShapeField* fields = nullptr;            // Record: the first of its fields
  std::size_t field_count = 0;                   // Record: how many there are
};

// A field of a struct.
struct ShapeField {
  std::string_view name;                         // the name of the field in C++
  ValueShape::Maker shape = nullptr;             // its shape
};

// Returns the shape of the values that Convert<T>::read() takes.
template <class T>
ValueShape shape_of() {
  if constexpr (requires { Convert<T, void>::shape(); }) {
    return Convert<T, void>::shape();
  } else {
    return {ValueShape::Kind::Any, true};
  }
}

}  // namespace ptcvm
