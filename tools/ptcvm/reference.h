// What the language has, for people: builtins and special forms by name, by word, and names that look alike.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

struct ReferenceEntry {
  std::string_view name;
  std::string_view kind;   // function, string function, special form, macro, namespace, syntax, not in the language …
  std::string_view usage;     // may be empty
  std::string_view doc;
};

// Also under a full name (clojure.string/join, java.time.LocalDate/parse) and other spellings. The forms come first
// when a name is both.
std::vector<ReferenceEntry> find_reference(std::string_view name);
// Entries with the word in name, usage or doc; matches in the name first.
std::vector<ReferenceEntry> search_reference(std::string_view word);
// At most `limit` names that look like this one, the most similar first.
std::vector<std::string_view> similar_names(std::string_view name, std::size_t limit = 3);

std::string reference_text(const ReferenceEntry& entry);

}  // namespace ptcvm::cli
