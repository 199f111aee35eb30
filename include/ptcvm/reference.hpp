// What the language has, for people and models: builtins and special forms by name, by word, and names that look alike.
// The command line prints these texts: `ptcvm doc NAME`, `ptcvm apropos WORD` and `ptcvm explain NAME`.
#pragma once
#include <cstddef>
#include <span>
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
// Returns the entries with the word in name, usage, doc or synonyms; matches in the name come first.
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
// Returns what `ptcvm doc` prints without a name: every name of the language, by kind.
PTCVM_API std::string doc_index_text();

// Explains one name of an error: a kind of fault, a code of Error or its detail. All texts live as long as the library.
struct Explanation {
  std::string_view name;      // as messages have it: "type_error", "store_full", …
  std::string_view when;      // says when the error comes
  std::string_view advice;    // says what to do
  std::string_view example;   // commands of a shell that show the error; "" when nobody outside can provoke it
  std::string_view cure;      // the same commands mended; "" without an example
  std::string_view unseen;    // says why there is no example; "" with an example
};

// Returns the explanations of every fault and every error, faults first. The view is good as long as the library.
PTCVM_API std::span<const Explanation> explanations();
// Returns what `ptcvm explain NAME` prints; "" when no error has the name.
PTCVM_API std::string explanation_text(std::string_view name);
// Returns what `ptcvm explain` prints without a name: a line for each error.
PTCVM_API std::string explanation_index_text();
// Returns the message for a name that no error has, with the name that looks like it.
PTCVM_API std::string unknown_error_text(std::string_view name);

}  // namespace ptcvm
