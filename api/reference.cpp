#include "ptcvm/reference.hpp"

#include <algorithm>
#include <array>

#include "schema/builtin_id.h"
#include "schema/special_form.h"

namespace ptcvm {
namespace {

constexpr std::size_t kNameColumn = 24;   // where the texts of `apropos` begin
constexpr std::size_t kIndexColumns = 100;   // a line of the index has so many

std::string_view kind_of(const ptc::BuiltinInfo& info) {
  switch (info.category) {
    case ptc::BuiltinCategory::Core: return "function";
    case ptc::BuiltinCategory::String: return "string function";
    case ptc::BuiltinCategory::Set: return "set function";
    case ptc::BuiltinCategory::Regex: return "regex function";
    case ptc::BuiltinCategory::Walk: return "walk function";
    case ptc::BuiltinCategory::Json: return "json function";
    case ptc::BuiltinCategory::Interop: return "interop";
    case ptc::BuiltinCategory::Hidden: return "internal";
  }
  return "";
}

std::string_view kind_of(const ptc::SpecialFormInfo& info) {
  switch (info.category) {
    case ptc::FormCategory::Special: return "special form";
    case ptc::FormCategory::Macro: return "macro";
    case ptc::FormCategory::Namespace: return "namespace";
    case ptc::FormCategory::Syntax: return "syntax";
    case ptc::FormCategory::Absent: return "not in the language";
  }
  return "";
}

ReferenceEntry entry_of(const ptc::BuiltinInfo& info) { return {info.name, kind_of(info), info.usage, info.doc}; }
ReferenceEntry entry_of(const ptc::SpecialFormInfo& info) { return {info.name, kind_of(info), info.usage, info.doc}; }

struct ForeignName {
  std::string_view name, advice;
};

constexpr auto kForeignNames = std::to_array<ForeignName>({
#define FOREIGN(name, advice) {name, advice},
#include "compiler/read/foreign_names.def"
#undef FOREIGN
});

ReferenceEntry entry_of(const ForeignName& foreign) {
  return {foreign.name, "not in the language", {}, foreign.advice};
}

struct Synonyms {
  std::string_view name, words;
};

constexpr auto kSynonyms = std::to_array<Synonyms>({
#define SYNONYM(name, words) {name, words},
#include "schema/synonyms.def"
#undef SYNONYM
});

std::string_view synonyms_of(std::string_view name) {
  const auto found = std::ranges::find(kSynonyms, name, &Synonyms::name);
  return found == kSynonyms.end() ? std::string_view() : found->words;
}

bool is_visible(const ptc::BuiltinInfo& info) { return info.category != ptc::BuiltinCategory::Hidden; }

bool has_spelling(const ptc::SpecialFormInfo& info, std::string_view name) {
  if (info.name == name) return true;
  std::string_view rest = info.also;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    if (rest.substr(0, bar) == name) return true;
    if (bar == std::string_view::npos) return false;
    rest.remove_prefix(bar + 1);
  }
  return false;
}

// The part behind a prefix that adds nothing: clojure.string/join is join.
std::string_view short_name(std::string_view name) {
  static constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"clojure.core/", "core/", "clojure.string/", "string/", "str/", "clojure.set/", "set/", "clojure.walk/", "walk/",
       "regex/", "java.time.", "java.lang."});
  for (const std::string_view prefix : kPrefixes) {
    if (name.size() > prefix.size() && name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

void add_exact(std::vector<ReferenceEntry>& found, std::string_view name) {
  for (const ptc::SpecialFormInfo& info : ptc::kSpecialForms) {
    if (has_spelling(info, name)) found.push_back(entry_of(info));
  }
  if (const auto id = ptc::find_builtin(name); id && is_visible(ptc::builtin_info(*id))) {
    found.push_back(entry_of(ptc::builtin_info(*id)));
  }
  if (!found.empty()) return;
  for (const ForeignName& foreign : kForeignNames) {
    if (foreign.name == name) found.push_back(entry_of(foreign));
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains_word(std::string_view text, std::string_view word) {
  const auto at = std::search(text.begin(), text.end(), word.begin(), word.end(),
                              [](char a, char b) { return lower(a) == lower(b); });
  return at != text.end();
}

// Edit distance with neighbouring exchanges, at most `limit` (else limit + 1).
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    two_back = back;
    back = row;
  }
  return back[b.size()];
}

}  // namespace

std::vector<ReferenceEntry> find_reference(std::string_view name) {
  std::vector<ReferenceEntry> found;
  add_exact(found, name);
  for (std::string_view shorter = short_name(name); found.empty() && shorter != name; shorter = short_name(name)) {
    name = shorter;
    add_exact(found, name);
  }
  return found;
}

std::vector<ReferenceEntry> search_reference(std::string_view word) {
  std::vector<ReferenceEntry> in_name, elsewhere;
  const auto consider = [&](const ReferenceEntry& entry) {
    if (contains_word(entry.name, word)) {
      in_name.push_back(entry);
    } else if (contains_word(entry.usage, word) || contains_word(entry.doc, word) ||
               contains_word(synonyms_of(entry.name), word)) {
      elsewhere.push_back(entry);
    }
  };
  for (const ptc::SpecialFormInfo& info : ptc::kSpecialForms) consider(entry_of(info));
  for (const ptc::BuiltinInfo& info : ptc::kBuiltins) {
    if (is_visible(info)) consider(entry_of(info));
  }
  const auto by_name = [](const ReferenceEntry& a, const ReferenceEntry& b) { return a.name < b.name; };
  std::stable_sort(in_name.begin(), in_name.end(), by_name);
  std::stable_sort(elsewhere.begin(), elsewhere.end(), by_name);
  in_name.insert(in_name.end(), elsewhere.begin(), elsewhere.end());
  return in_name;
}

std::vector<std::string_view> similar_names(std::string_view name, std::size_t limit) {
  constexpr std::size_t kMaxNameLength = 100;
  struct Candidate {
    std::size_t distance;
    std::string_view name;
  };
  if (name.size() > kMaxNameLength) return {};
  const std::size_t max_distance = name.size() <= 3 ? 1 : name.size() <= 6 ? 2 : 3;
  std::vector<Candidate> candidates;
  const auto consider = [&](std::string_view known) {
    const std::size_t d = distance(name, known, max_distance);
    if (d <= max_distance) candidates.push_back({d, known});
  };
  for (const ptc::SpecialFormInfo& info : ptc::kSpecialForms) {
    if (info.category != ptc::FormCategory::Absent) consider(info.name);
  }
  for (const ptc::BuiltinInfo& info : ptc::kBuiltins) {
    if (is_visible(info)) consider(info.name);
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.name < b.name;
  });
  std::vector<std::string_view> names;
  for (const Candidate& candidate : candidates) {
    if (names.size() < limit) names.push_back(candidate.name);
  }
  return names;
}

std::string reference_text(const ReferenceEntry& entry) {
  std::string text(entry.name);
  text.append("  (").append(entry.kind).append(")\n");
  if (!entry.usage.empty()) text.append("  ").append(entry.usage).append("\n");
  if (!entry.doc.empty()) text.append("  ").append(entry.doc).append("\n");
  return text;
}

std::string doc_text(std::string_view name) {
  std::string text;
  for (const ReferenceEntry& entry : find_reference(name)) {
    if (!text.empty()) text += '\n';
    text += reference_text(entry);
  }
  return text;
}

std::string apropos_text(std::string_view word) {
  std::string text;
  for (const ReferenceEntry& entry : search_reference(word)) {
    std::string line(entry.name);
    line.resize(std::max(kNameColumn, line.size() + 1), ' ');
    text.append(line).append(entry.doc).append("\n");
  }
  return text;
}

std::string doc_index_text() {
  std::vector<ReferenceEntry> entries;
  for (const ptc::SpecialFormInfo& info : ptc::kSpecialForms) {
    if (info.category != ptc::FormCategory::Absent) entries.push_back(entry_of(info));
  }
  for (const ptc::BuiltinInfo& info : ptc::kBuiltins) {
    if (is_visible(info)) entries.push_back(entry_of(info));
  }
  std::ranges::stable_sort(entries, {}, [](const ReferenceEntry& entry) { return std::pair(entry.kind, entry.name); });
  std::string text;
  std::string_view kind;
  std::size_t column = 0;
  for (const ReferenceEntry& entry : entries) {
    if (entry.kind != kind) {
      kind = entry.kind;
      text.append(text.empty() ? "" : "\n\n").append(kind).append("\n ");
      column = 1;
    }
    if (column + 1 + entry.name.size() > kIndexColumns) {
      text.append("\n ");
      column = 1;
    }
    text.append(" ").append(entry.name);
    column += 1 + entry.name.size();
  }
  return text.append("\n\n`ptcvm doc NAME` explains a name, and `ptcvm apropos WORD` finds one.\n");
}

std::string unknown_name_text(std::string_view name) {
  std::string text = "nothing is named " + std::string(name);
  const auto similar = similar_names(name);
  for (std::size_t i = 0; i < similar.size(); ++i)
    text.append(i == 0 ? ". Did you mean: " : ", ").append(similar[i]);
  return text;
}

}  // namespace ptcvm
