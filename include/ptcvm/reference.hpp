// What the language has, for people and models: builtins and special forms by name, by word, and names that look alike.
// The command line prints these texts: `ptcvm doc NAME` and `ptcvm apropos WORD`.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/config.hpp"

namespace ptcvm {

// Describes one name of the language. All texts live as long as the library.
struct ReferenceEntry {
  std::string_view name;      // as programs write it
  std::string_view kind;      // "function", "special form", "macro", "namespace", "syntax", "not in the language", …
  std::string_view usage;     // how the name is written in a program; may be empty
  std::string_view doc;       // one or two sentences
};

// Returns the entries of a name, also of a full name (clojure.string/join, java.time.LocalDate/parse) and of other
// spellings. The forms come first when a name is both.
PTCVM_API std::vector<ReferenceEntry> find_reference(std::string_view name);
// Returns the entries with the word in name, usage or doc; matches in the name come first.
PTCVM_API std::vector<ReferenceEntry> search_reference(std::string_view word);
// Returns at most `limit` names that look like this one, the most similar first.
PTCVM_API std::vector<std::string_view> similar_names(std::string_view name, std::size_t limit = 3);

// Returns the entry as `ptcvm doc` prints an entry, with a line feed at the end.
PTCVM_API std::string reference_text(const ReferenceEntry& entry);
// Returns all entries of a name as `ptcvm doc NAME` prints them; "" when nothing has the name.
PTCVM_API std::string doc_text(std::string_view name);
// Returns what `ptcvm apropos WORD` prints, a line for each entry; "" when nothing mentions the word.
PTCVM_API std::string apropos_text(std::string_view word);
// Returns the message for a name that nothing has, with the names that look like it.
PTCVM_API std::string unknown_name_text(std::string_view name);

}  // namespace ptcvm
