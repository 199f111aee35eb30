// boost::json::value by way of its own walk: one loop with a stack, so that depth costs no C++ stack.
#include "ptcvm/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <vector>

#include "api/value_access.h"

namespace ptcvm {
namespace {

namespace json = boost::json;

// A collection whose parts are being written.
struct Open {
  const json::value* container;
  std::size_t next = 0;
};

bool write_leaf(ValueWriter& out, const json::value& v) {
  switch (v.kind()) {
    case json::kind::null: out.nil(); return true;
    case json::kind::bool_: out.boolean(v.get_bool()); return true;
    case json::kind::int64: out.integer(v.get_int64()); return true;
    case json::kind::uint64:
      if (v.get_uint64() <= static_cast<std::uint64_t>(INT64_MAX)) {
        out.integer(static_cast<std::int64_t>(v.get_uint64()));
      } else {
        out.real(static_cast<double>(v.get_uint64()));
      }
      return true;
    case json::kind::double_: out.real(v.get_double()); return true;
    case json::kind::string: out.string(std::string_view(v.get_string())); return true;
    case json::kind::array: out.begin_vector(); return false;
    case json::kind::object: out.begin_map(); return false;
  }
  return true;
}

}  // namespace

void write_json(ValueWriter& out, const json::value& root) {
  std::vector<Open> open;
  const auto visit = [&](const json::value& v) {
    if (!write_leaf(out, v)) open.push_back({&v});
  };
  visit(root);
  while (!open.empty()) {
    Open& top = open.back();
    const bool is_array = top.container->is_array();
    const std::size_t size = is_array ? top.container->get_array().size() : top.container->get_object().size();
    if (top.next == size) {
      out.end();
      open.pop_back();
    } else if (is_array) {
      visit(top.container->get_array()[top.next++]);
    } else {
      const auto& entry = *(top.container->get_object().begin() + static_cast<std::ptrdiff_t>(top.next++));
      out.key(std::string_view(entry.key()));
      visit(entry.value());
    }
  }
}

// Goes through text: the rules of JSON output are in one place, and the parser bounds the depth.
json::value to_json(ValueView value) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 100'000;
  json::value parsed = json::parse(value.to_json(), error, {}, options);
  return error ? json::value(nullptr) : parsed;
}

}  // namespace ptcvm
