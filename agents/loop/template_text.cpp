#include "agents/loop/template_text.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <kainjow/mustache.hpp>
#include <set>

#include "agents/loop/prompt.h"

namespace ptcvm::loop {

namespace {

namespace json = boost::json;
using kainjow::mustache::data;
using kainjow::mustache::list;
using kainjow::mustache::mustache;

data data_of(const json::value& value) {
  if (const json::object* const object = value.if_object()) {
    data out;
    for (const auto& member : *object) out.set(std::string(member.key()), data_of(member.value()));
    return out;
  }
  if (const json::array* const array = value.if_array()) {
    list out;
    for (const json::value& item : *array) out.push_back(data_of(item));
    return data(out);
  }
  if (value.is_bool()) return data(value.get_bool());
  if (value.is_string()) return data(std::string(value.get_string()));
  if (value.is_null()) return data(false);
  return data(json::serialize(value));
}

// Calls `replace` with the content of each tag, and returns the text with the answers.
template <class F>
std::string with_tags(const std::string& text, F&& replace) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = text.find("{{", at);
    const std::size_t close = open == std::string::npos ? std::string::npos : text.find("}}", open);
    if (close == std::string::npos) return out.append(text, at);
    const bool is_triple = text.compare(open, 3, "{{{") == 0 && text.compare(close, 3, "}}}") == 0;
    const std::size_t begin = open + (is_triple ? 3 : 2);
    std::string tag = text.substr(begin, close - begin);
    while (!tag.empty() && tag.back() == ' ') tag.pop_back();
    tag.erase(0, std::min(tag.find_first_not_of(' '), tag.size()));
    const std::size_t end = close + (is_triple ? 3 : 2);
    out.append(text, at, open - at);
    out.append(replace(tag, text.substr(open, end - open)));
    at = end;
  }
}

bool is_plain(const std::string& tag) {
  return !tag.empty() && std::string_view("#^/!>=&.").find(tag.front()) == std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> template_names(const std::string& text) {
  mustache parsed(text);
  if (!parsed.is_valid()) return Error{Errc::invalid_value, parsed.error_message(), std::nullopt, {}};
  std::set<std::string> names;
  int depth = 0;   // names inside of sections belong to the section
  with_tags(text, [&](const std::string& tag, const std::string&) {
    if (!tag.empty() && (tag.front() == '#' || tag.front() == '^')) {
      if (depth++ == 0) names.insert(tag.substr(1));
    } else if (!tag.empty() && tag.front() == '/') {
      --depth;
    } else if (is_plain(tag) && depth == 0) {
      names.insert(tag);
    }
    return std::string();
  });
  return std::vector<std::string>(names.begin(), names.end());
}

std::string filled_template(const std::string& text, const json::object& values) {
  // What has no data stays as it is written; with sections the library decides.
  const bool has_sections = text.find("{{#") != std::string::npos || text.find("{{^") != std::string::npos;
  const auto kept = [&](const std::string& tag, const std::string& whole) {
    if (!is_plain(tag) || values.contains(tag.substr(0, tag.find('.')))) return whole;
    return "{{=\x01 \x01=}}" + whole + "\x01={{ }}=\x01";
  };
  const std::string known = has_sections ? text : with_tags(text, kept);
  mustache parsed(known);
  if (!parsed.is_valid()) return text;
  parsed.set_custom_escape([](const std::string& value) { return value; });
  data root;
  for (const auto& member : values) {
    // A collection that is named outside of a section is written as JSON.
    const bool is_collection = member.value().is_array() || member.value().is_object();
    const bool is_scalar_use = text.find("{{" + std::string(member.key()) + "}}") != std::string::npos;
    root.set(std::string(member.key()), is_collection && is_scalar_use ? data(json::serialize(member.value()))
                                                                       : data_of(member.value()));
  }
  return parsed.render(root);
}

std::string referring_template(const std::string& text) {
  return with_tags(text, [](const std::string& tag, const std::string& whole) {
    return is_plain(tag) ? "~{data/" + tag + "}" : whole;
  });
}

}  // namespace ptcvm::loop
