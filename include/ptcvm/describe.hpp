// Converts what Boost.Describe describes: structs to maps with string keys, and enums to strings.
//
//   struct Item { std::int64_t id; std::string name; std::optional<double> price; };
//   BOOST_DESCRIBE_STRUCT(Item, (), (id, name, price))
//
// When a struct is read, only a std::optional field may be missing, and unknown keys are ignored.
#pragma once
#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>

#include "ptcvm/convert.hpp"

namespace ptcvm {

template <class T>
struct Convert<T, std::enable_if_t<boost::describe::has_describe_members<T>::value && !std::is_union_v<T>>> {
  using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
  template <template <class...> class List, class... Member>
  static constexpr std::array<std::string_view, sizeof...(Member)> names_of(List<Member...>) {
    return {Member::name...};
  }
  static constexpr auto kNames = names_of(Members{});
  template <class Member>
  using Field = std::remove_cvref_t<decltype(std::declval<T&>().*Member::pointer)>;
  template <template <class...> class List, class... Member>
  static constexpr std::array<ShapeField, sizeof...(Member)> fields_of(List<Member...>) {
    return {ShapeField{Member::name, &shape_of<Field<Member>>}...};
  }

  static ValueShape shape() {
    static constexpr auto kFields = fields_of(Members{});
    return {ValueShape::Kind::Record, false, nullptr, kFields.data(), kFields.size()};
  }
  static void write(ValueWriter& out, const T& x) {
    out.begin_record(kNames);
    boost::mp11::mp_for_each<Members>([&](auto member) { out.write(x.*member.pointer); });
    out.end();
  }
  static Result<T> read(ValueView v, const Path& at) {
    if (v.kind() != ValueKind::Map) return expected("map", v, at);
    T out{};
    std::optional<Error> error;
    boost::mp11::mp_for_each<Members>([&](auto member) {
      if (error) return;
      using Field = std::remove_reference_t<decltype(out.*member.pointer)>;
      auto field = Convert<Field>::read(v[member.name], Path{&at, member.name, 0});
      if (field) {
        out.*member.pointer = std::move(*field);
      } else {
        error = std::move(field).error();
      }
    });
    if (error) return std::move(*error);
    return out;
  }
};

template <class T>
struct Convert<T, std::enable_if_t<boost::describe::has_describe_enumerators<T>::value>> {
  static ValueShape shape() { return {ValueShape::Kind::Enum}; }
  static void write(ValueWriter& out, T x) { out.string(boost::describe::enum_to_string(x, "")); }
  static Result<T> read(ValueView v, const Path& at) {
    const auto name = v.as_string() ? v.as_string() : v.as_keyword();
    T out{};
    if (name && boost::describe::enum_from_string(std::string(*name).c_str(), out)) return out;
    return expected("one of the names of the enumeration", v, at);
  }
};

}  // namespace ptcvm
