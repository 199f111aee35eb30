// The parts of a JSON document, for mutators.
#pragma once
#include <boost/json.hpp>

#include <vector>

namespace ptc::test {

// All parts of a document that lie inside of it, and itself; pointers hold until it is changed.
inline std::vector<boost::json::value*> parts_of(boost::json::value& root) {
  std::vector<boost::json::value*> parts = {&root};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (boost::json::object* const object = parts[k]->if_object()) {
      for (auto& member : *object) parts.push_back(&member.value());
    } else if (boost::json::array* const array = parts[k]->if_array()) {
      for (boost::json::value& element : *array) parts.push_back(&element);
    }
  }
  return parts;
}

}  // namespace ptc::test
