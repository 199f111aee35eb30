// The members of a map in a file of tools, and what is wrong with them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptcvm/value.hpp"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {

// Returns a text, or the name of a keyword, as EDN may write it.
inline std::optional<std::string> text_or_name(ValueView value) {
  if (const auto text = value.as_string()) return std::string(*text);
  if (const auto name = value.as_keyword()) return std::string(*name);
  return std::nullopt;
}

inline std::string listed(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

// Reads the members of one map. The first thing that is wrong is kept.
class FileMembers {
 public:
  FileMembers(ValueView map, std::string where, std::span<const std::string_view> known)
      : map_(map), where_(std::move(where)) {
    for (const ValueEntry& entry : map.entries()) {
      const auto name = text_or_name(entry.key);
      if (name && std::ranges::count(known, *name) > 0) continue;
      fail("there is no member " + (name ? '"' + *name + '"' : entry.key.to_edn()) + "; the members are " +
           listed(known));
    }
  }

  ValueView find(std::string_view name) const { return map_[name]; }
  void fail(const std::string& message) {
    if (error_.empty()) error_ = where_ + ": " + message;
  }
  void wrong(std::string_view name, std::string_view wanted) {
    fail('"' + std::string(name) + "\" is not " + std::string(wanted) + "; found " + find(name).to_text(80));
  }
  std::string text(std::string_view name, std::string_view otherwise = {}) {
    const ValueView found = find(name);
    if (found.is_nil()) return std::string(otherwise);
    const auto text = text_or_name(found);
    if (!text) wrong(name, "a text");
    return text.value_or("");
  }
  bool flag(std::string_view name) {
    const ValueView found = find(name);
    if (!found.is_nil() && !found.as_bool()) wrong(name, "true or false");
    return found.as_bool().value_or(false);
  }
  std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
    const ValueView found = find(name);
    if (found.is_nil()) return otherwise;
    const auto number = found.as_int();
    if (number && *number >= least && *number <= most) return *number;
    wrong(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }
  double real(std::string_view name, double least, double most, double otherwise) {
    const ValueView found = find(name);
    if (found.is_nil()) return otherwise;
    const auto number = found.as_double();
    if (number && *number >= least && *number <= most) return *number;
    wrong(name, "a number in its range");
    return otherwise;
  }
  // A list of words, or one text that is split into words as a shell does it.
  std::vector<std::string> words(std::string_view name) {
    const ValueView found = find(name);
    if (const auto text = found.as_string()) {
      auto split = split_shell_arguments(*text);
      if (!split || split->empty()) wrong(name, "a command: it is empty, or a quote is open");
      return without_zeros(name, split.value_or(std::vector<std::string>()));
    }
    std::vector<std::string> out;
    if (found.kind() != ValueKind::Vector) return wrong(name, "a list of texts, or a text"), out;
    for (const ValueView word : found.items()) {
      const auto text = word.as_string();
      if (!text) wrong(name, "a list of texts, or a text");
      out.emplace_back(text.value_or(""));
    }
    if (out.empty() || out[0].empty()) fail('"' + std::string(name) + "\" names no program");
    return without_zeros(name, std::move(out));
  }
  // A map of texts.
  std::vector<std::pair<std::string, std::string>> texts(std::string_view name) {
    const ValueView found = find(name);
    std::vector<std::pair<std::string, std::string>> out;
    if (found.is_nil()) return out;
    if (found.kind() != ValueKind::Map) return wrong(name, "a map of texts"), out;
    for (const ValueEntry& entry : found.entries()) {
      const auto key = text_or_name(entry.key);
      const auto value = entry.value.as_string();
      const bool is_name = key && !key->empty() && key->find_first_of(std::string_view("=\0", 2)) == std::string::npos;
      if (!is_name || !value || value->find('\0') != std::string_view::npos) return wrong(name, "a map of texts"), out;
      out.emplace_back(*key, *value);
    }
    return out;
  }
  const std::string& error() const { return error_; }
  const std::string& where() const { return where_; }

 private:
  // The system would cut a word at a zero, and start something else.
  std::vector<std::string> without_zeros(std::string_view name, std::vector<std::string> words) {
    const auto has_zero = [](const std::string& word) { return word.find('\0') != std::string::npos; };
    if (std::ranges::any_of(words, has_zero)) fail('"' + std::string(name) + "\" has a word with the character NUL");
    return words;
  }

  ValueView map_;
  std::string where_, error_;
};

}  // namespace ptcvm::cli
