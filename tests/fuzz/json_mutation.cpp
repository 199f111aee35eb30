#include "fuzz/json_mutation.h"

#include <cstdint>
#include <vector>

#include "fuzz/json_parts.h"

namespace ptc::test {
namespace {

namespace json = boost::json;

json::value telling_value(Random& random) {
  switch (random.below(12)) {
    case 0: return nullptr;
    case 1: return random.below(2) == 0;
    case 2: return static_cast<std::int64_t>(random.below(20));
    case 3: return -1;
    case 4: return INT64_MAX;
    case 5: return UINT64_MAX;
    case 6: return 1.5;
    case 7: return "";
    case 8: return "op1";
    case 9: return json::array();
    case 10: return json::object();
    default: return json::object{{"$", random.below(2) == 0 ? "ref" : "clo"}, {"v", random.below(30)}};
  }
}

void change_number(json::value& number, Random& random) {
  const std::int64_t old = number.is_int64() ? number.as_int64() : 0;
  switch (random.below(4)) {
    case 0: number = static_cast<std::int64_t>(static_cast<std::uint64_t>(old) + 1); break;
    case 1: number = static_cast<std::int64_t>(static_cast<std::uint64_t>(old) - 1); break;
    case 2: number = static_cast<std::int64_t>(random.below(40)); break;
    default: number = telling_value(random);
  }
}

void change_object(json::object& object, Random& random) {
  if (object.empty()) return;
  const std::size_t at = random.below(object.size());
  const std::string name((object.begin() + static_cast<std::ptrdiff_t>(at))->key());
  switch (random.below(3)) {
    case 0: object.erase(name); break;
    case 1: {
      const json::value copy = object.at(name);
      object["extra"] = copy;
      break;
    }
    default: {
      const std::size_t with = random.below(object.size());
      (object.begin() + static_cast<std::ptrdiff_t>(at))->value().swap(
          (object.begin() + static_cast<std::ptrdiff_t>(with))->value());
    }
  }
}

void change_array(json::array& array, Random& random) {
  if (array.empty()) {
    array.push_back(telling_value(random));
    return;
  }
  const std::size_t at = random.below(array.size());
  switch (random.below(3)) {
    case 0: array.erase(array.begin() + at); break;
    case 1: {
      const json::value copy = array[at];
      array.insert(array.begin() + random.below(array.size() + 1), copy);
      break;
    }
    default: array[at].swap(array[random.below(array.size())]);
  }
}

void change_part(json::value& root, json::value& donor, Random& random) {
  json::value& part = *random.pick(parts_of(root));
  if (random.below(5) == 0) {
    part = *random.pick(parts_of(donor));
  } else if (random.below(6) == 0) {
    part = telling_value(random);
  } else if (part.is_object()) {
    change_object(part.as_object(), random);
  } else if (part.is_array()) {
    change_array(part.as_array(), random);
  } else if (part.is_number()) {
    change_number(part, random);
  } else {
    part = telling_value(random);
  }
}

}  // namespace

std::string mutated_json(const std::string& text, const std::string& other, Random& random) {
  json::error_code code, other_code;
  json::parse_options options;
  options.max_depth = 4'000;
  const auto memory = json::make_shared_resource<json::monotonic_resource>();   // much cheaper than a block a part
  json::value root = json::parse(text, code, memory, options), donor = json::parse(other, other_code, memory, options);
  if (code || other_code) return text;
  const unsigned changes = 1 + random.below(3);
  for (unsigned k = 0; k < changes; ++k) change_part(root, donor, random);
  return json::serialize(root);
}

Octets mutated_json_bytes(const Octets& text, const Octets& other, Random& random) {
  const std::string own(text.begin(), text.end());
  std::string mutant = mutated_json(own, {other.begin(), other.end()}, random);
  if (mutant == own) mutant = mutated_json(own, own, random);
  return {mutant.begin(), mutant.end()};
}

}  // namespace ptc::test
