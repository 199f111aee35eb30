#include "fuzz/snapshot_json_mutation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/json_mutation.h"
#include "fuzz/json_parts.h"
#include "fuzz/part_mutation.h"

namespace ptc::test {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kFewNumbers = 12;   // of objects: few, so that references meet what they refer to

// Values as snapshots spell them: for each tag what is taken, what lies at an edge, and what is not quite right.
constexpr std::string_view kValues[] = {
    R"({"$":"kw","v":"a"})", R"({"$":"tool","v":"ask"})", R"({"$":"var","v":"x"})", R"({"$":"fn","v":"inc"})",
    R"({"$":"fn","v":"no-such"})", R"({"$":"f","v":"1.5"})", R"({"$":"f","v":"nan"})", R"({"$":"f","v":"-inf"})",
    R"({"$":"f","v":"1e"})", R"({"$":"f","v":1.5})", R"({"$":"int","v":"123456789012345678901234567890"})",
    R"({"$":"int","v":"-0xffffffffffffffffffffffffffffffff"})", R"({"$":"int","v":"0x"})", R"({"$":"int","v":"0xg"})",
    R"({"$":"int","v":"7"})", R"({"$":"re","v":"a+(b|c)*"})", R"({"$":"re","v":"("})", R"({"$":"pending","id":"op1"})",
    R"({"$":"pending","v":"op1"})", R"({"$":"date","v":"2026-02-28"})", R"({"$":"date","v":"2026-02-30"})",
    R"({"$":"date","days":20000})", R"({"$":"date","days":"-9999999999999"})", R"({"$":"date","v":7})",
    R"({"$":"instant","v":"2026-02-28T12:34:56.789Z"})", R"({"$":"instant","v":"2026-01-01T00:00:00Z","legacy":true})",
    R"({"$":"instant","seconds":5,"nanos":999999999})", R"({"$":"instant","seconds":5,"nanos":1000000000})",
    R"({"$":"instant","seconds":"9999999999999999"})", R"({"$":"duration","v":"PT1H"})", R"({"$":"duration","v":"1H"})",
    R"({"$":"duration","seconds":-5,"nanos":1})", R"({"$":"range","first":0,"step":1,"count":40})",
    R"({"$":"range","first":5,"step":-3,"count":4000000000})", R"({"$":"range","first":0,"step":0,"count":2})",
    R"({"$":"range","first":"9223372036854775807","step":"9223372036854775807","count":3})", R"({"$":"absent"})",
    R"({"$":"absent","v":1})", R"({"$":7})", R"({"$":"no-such","v":[]})", R"({"$":"map","v":[[1,2],["a",[3]]]})",
    R"({"$":"map","v":[[1,2],[1,3]]})", R"({"$":"map","v":[[1]]})", R"({"$":"map","v":7})", R"({"$":"map"})",
    R"({"$":"map","v":[[{"$":"kw","v":"b"},1],["a",{"$":"set","v":[]}]]})", R"({"$":"map","keys":["a","b"],"v":[1,2]})",
    R"({"$":"map","keys":{"$":"ref","v":1},"v":[1,2]})", R"({"$":"map","v":[[{"$":"absent"},1]]})",
    R"({"$":"set","v":[1,2,3]})", R"({"$":"set","v":[1,1]})", R"({"$":"set","v":[[1,2],{"a":1},null,"x"]})",
    R"({"$":"set","keys":{"$":"ref","v":2}})", R"({"$":"set","v":[{"$":"absent"}]})",
    R"({"$":"clo","name":"f","program":0,"function":1,"serial":1,"captured":[]})",
    R"({"$":"clo","program":0,"function":0,"serial":0,"captured":[1]})", R"({"$":"clo","program":9,"function":9})",
    R"({"$":"trie","start":0,"count":40,"root":{"$":"node","mask":1,"v":[{"$":"leaf","v":[1,2]}]},)"
    R"("tail":{"$":"leaf","v":[3,4,5,6,7,8,9,10]}})",
    R"({"$":"trie","start":0,"count":33,"root":{"$":"node","mask":1,"v":[{"$":"leaf","v":[0,1,2,3,4,5,6,7,8,9,10,11,)"
    R"(12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]}]},"tail":{"$":"leaf","v":[32]}})",
    R"({"$":"trie","count":40,"root":1,"tail":2})", R"({"$":"trie"})", R"({"$":"node","mask":3,"v":[1,2]})",
    R"({"$":"leaf","v":[]})", R"({"$":"leaf","v":[1,{"$":"leaf","v":[1]}]})",
    R"({"$":"hash","count":2,"set":true,"root":{"$":"entries","level":0,"set":true,"data":2,"nodes":0,"v":[1]}})",
    R"({"$":"hash","count":1,"root":{"$":"entries","level":0,"data":2,"nodes":0,"v":[1,2],"children":[]}})",
    R"({"$":"hash","count":2,"root":{"$":"entries","level":13,"collision":2,"nodes":0,"v":["a",1,"b",2]}})",
    R"({"$":"entries","level":1,"data":0,"nodes":1,"v":[],"children":[{"$":"entries","v":[]}]})", R"({"$":"hash"})",
    R"({"$":"ref","v":1})", R"({"$":"ref","v":2})", R"({"$":"ref","v":"3"})", R"({"$":"ref"})",
    R"({"$":"const","v":0})", R"({"$":"const","v":3})", R"({"$":"const","v":4000000000})",
    R"({"a":1,"b":[2]})", R"({"$x":1})",
    R"([1,[2,["three"]],null,true])", "[]", "{}", "1.5", "18446744073709551615", "-9223372036854775808", R"("text")",
    R"([{"$":"ref","v":1},{"$":"ref","v":1}])", R"({"a":{"$":"ref","v":2},"b":{"$":"ref","v":3}})"};

// What the layout says of a value, besides numbers of objects.
constexpr std::string_view kFacts[] = {
    R"({"$new":true})", R"({"$new":1})", R"({"$room":[0,8]})", R"({"$room":[3,32]})", R"({"$room":[-1,40]})",
    R"({"$room":[0]})", R"({"$keys":{"$private":true}})", R"({"$keys":{"$id":5}})", R"({"$keys":{"$same":5}})",
    R"({"$keys":{"$const":1}})", R"({"$keys":{"a":{"$id":6},"b":{"$same":6}}})", R"({"$keys":{"a":{"$new":true}}})",
    R"({"$id":-1})", R"({"$id":"1"})", R"({"$const":0,"$id":4})", R"({"$same":4,"$new":true})", "[]", "{}"};

constexpr std::string_view kMembers[] = {
    "format", "oldest_reader", "run", "turn", "suspended", "fault", "pending", "namespace", "before", "names",
    "journal", "operations", "fibers", "prints", "warnings", "summaries", "cancel_requests", "context", "history",
    "budget", "used", "limits", "counters", "session", "programs", "running", "retired", "keywords", "shapes",
    "key_arrays", "objects", "layout", "cached_answers", "approvals", "tools", "waits_for_host", "open_tasks",
    "definitions", "tool_calls",
    "frames", "locals", "temporaries", "closure", "slots", "stage", "builtin", "pc", "result", "immediate", "progress",
    "args", "opened", "status", "kind", "state", "source", "bytecode", "sha256", "functions", "prelude", "$", "v", "id",
    "set", "keys", "children", "collision", "outstanding", "undefined", "value", "name", "message", "hint", "text"};

constexpr std::string_view kTexts[] = {
    "", "op1", "op2", "ok", "error", "cancelled", "progress", "waiting", "ready", "waits_for_tool", "tool", "sleep",
    "signal", "type_error", "fuel_exhausted", "no_such", "map", "set", "clo", "ref", "const", "absent", "trie", "hash",
    "node", "leaf", "entries", "kw", "int", "f", "-1", "18446744073709551616", "QUJD", "QUI=", "zz", "abc", "unsafe"};

json::value value_of(std::string_view text) { return json::parse({text.data(), text.size()}); }
json::string text_of(std::string_view text) { return json::string(text.data(), text.size()); }
std::int64_t few(Random& random) { return 1 + static_cast<std::int64_t>(random.below(kFewNumbers)); }

json::value some_value(json::value& donor, Random& random) {
  if (random.below(4) == 0) return *random.pick(parts_of(donor));
  return value_of(kValues[random.below(std::size(kValues))]);
}

json::object* some_object(json::value& root, Random& random) {
  std::vector<json::object*> objects;
  for (json::value* const part : parts_of(root)) {
    if (part->is_object()) objects.push_back(&part->get_object());
  }
  return objects.empty() ? nullptr : objects[random.below(objects.size())];
}

// Gives a member the name of another one, or adds a member.
void rename_member(json::value& root, json::value& donor, Random& random) {
  json::object* const object = some_object(root, random);
  if (object == nullptr) return;
  std::string name(kMembers[random.below(std::size(kMembers))]);
  if (const json::object* const like = some_object(donor, random); random.below(2) == 0 && like && !like->empty()) {
    name = (like->begin() + static_cast<std::ptrdiff_t>(random.below(like->size())))->key();
  }
  if (object->empty() || random.below(2) == 0) {
    (*object)[name] = some_value(donor, random);
    return;
  }
  const auto old = object->begin() + static_cast<std::ptrdiff_t>(random.below(object->size()));
  json::value kept = std::move(old->value());
  object->erase(old);
  (*object)[name] = std::move(kept);
}

// The same thing as another kind of JSON.
void change_kind(json::value& part, Random& random) {
  if (part.is_number()) {
    part = random.below(2) == 0 ? json::value(json::serialize(part)) : json::value(1.5);
  } else if (part.is_string()) {
    part = random.below(2) == 0 ? json::value(text_of(kTexts[random.below(std::size(kTexts))]))
                                : json::value(static_cast<std::int64_t>(random.below(5)));
  } else if (const json::object* const object = part.if_object()) {
    json::array values;
    for (const auto& member : *object) values.push_back(member.value());
    part = std::move(values);
  } else if (const json::array* const array = part.if_array()) {
    json::object members;
    for (std::size_t k = 0; k < array->size(); ++k) members[std::to_string(k)] = (*array)[k];
    part = std::move(members);
  } else {
    part = part.is_bool() ? json::value(nullptr) : json::value(random.below(2) == 0);
  }
}

void change_text(json::value& part, Random& random) {
  if (!part.is_string() || part.get_string().empty()) return change_kind(part, random);
  json::string& text = part.get_string();
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0: text.erase(at, 1 + random.below(4)); break;
    case 1: text.insert(at, 1, static_cast<char>(' ' + static_cast<char>(random.below(95)))); break;
    case 2: text = text_of(kTexts[random.below(std::size(kTexts))]); break;
    default: text[at] = static_cast<char>(' ' + static_cast<char>(random.below(95)));
  }
}

// Says something in the layout of a part of the document, found by a walk from its root.
void add_fact(json::value& root, Random& random) {
  constexpr unsigned kDeepest = 9;
  if (!root.is_object()) return;
  const json::value* at = &root;
  std::vector<std::string> path;
  for (unsigned deep = 1 + random.below(kDeepest); deep > 0; --deep) {
    if (const json::object* const object = at->if_object(); object != nullptr && !object->empty()) {
      const auto& member = *(object->begin() + static_cast<std::ptrdiff_t>(random.below(object->size())));
      const std::string name(member.key());
      path.push_back(name.starts_with('$') ? '$' + name : name);
      at = &member.value();
    } else if (const json::array* const array = at->if_array(); array != nullptr && !array->empty()) {
      const std::size_t index = random.below(array->size());
      path.push_back(std::to_string(index));
      at = &(*array)[index];
    }
  }
  json::value* facts = &root.get_object()["layout"];
  for (const std::string& name : path) {
    if (!facts->is_object()) *facts = json::object();
    facts = &facts->get_object()[name];
  }
  constexpr std::string_view kNumbers[] = {"$id", "$id", "$same", "$const"};
  json::value fact = random.below(2) == 0 ? value_of(kFacts[random.below(std::size(kFacts))])
                                          : json::object{{kNumbers[random.below(4)], few(random)}};
  if (!facts->is_object() || !fact.is_object()) {
    *facts = std::move(fact);
    return;
  }
  for (const auto& member : fact.get_object()) facts->get_object()[member.key()] = member.value();
}

// Declares an object in the list of objects, which references name.
void declare_object(json::value& root, json::value& donor, Random& random) {
  if (!root.is_object()) return;
  json::value& objects = root.get_object()["objects"];
  if (!objects.is_object()) objects = json::object();
  objects.get_object()[std::to_string(few(random))] = some_value(donor, random);
  *random.pick(parts_of(root)) = json::object{{"$", "ref"}, {"v", few(random)}};
}

// Lists grow past the sizes at which they are kept otherwise.
void grow_list(json::value& part, Random& random) {
  json::array* const array = part.if_array();
  if (array == nullptr) return;
  for (std::int64_t k = 5 * few(random); k > 0; --k) {
    array->push_back(array->empty() || random.below(2) == 0 ? json::value(k)
                                                            : json::value((*array)[random.below(array->size())]));
  }
}

void change_member(json::value& root, json::value& donor, Random& random) {
  const unsigned which = random.below(16);
  if (which < 3) return rename_member(root, donor, random);
  if (which < 6) return add_fact(root, random);
  if (which == 6) return declare_object(root, donor, random);
  json::value& part = *random.pick(parts_of(root));
  if (which < 9) return change_kind(part, random);
  if (which < 11) return change_text(part, random);
  if (which == 11) return grow_list(part, random);
  part = some_value(donor, random);
}

// What a document in memory cannot say.
void double_member(std::string& text, Random& random) {
  const std::size_t open = text.find('{', random.below(text.size()));
  if (open != std::string::npos && open + 1 < text.size() && text[open + 1] == '"') {
    const std::size_t end = text.find('"', open + 2);
    if (end != std::string::npos) text.insert(open + 1, text.substr(open + 1, end - open) + ":1,");
  }
}

}  // namespace

Octets mutated_snapshot_json(const Octets& text, const Octets& other, Random& random) {
  if (random.below(3) == 0) return mutated_json_bytes(text, other, random);
  const auto memory = json::make_shared_resource<json::monotonic_resource>();   // much cheaper than a block a part
  const auto read = [&memory](const Octets& bytes, json::error_code& code) {
    json::parse_options options;
    options.max_depth = 4'000;
    return json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, code, memory, options);
  };
  json::error_code code, other_code;
  json::value root = read(text, code), donor = read(other, other_code);
  if (code) return text;
  if (other_code) donor = json::value(root, memory);
  for (unsigned k = 1 + random.below(3); k > 0; --k) change_member(root, donor, random);
  std::string made = json::serialize(root);
  if (random.below(40) == 0) double_member(made, random);
  return {made.begin(), made.end()};
}

}  // namespace ptc::test
