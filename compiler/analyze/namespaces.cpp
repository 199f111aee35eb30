// Qualified names: namespaces of builtins by category, classes of the interop, data/, tool/, budget/.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/program_notes.h"
#include "schema/closest_name.h"

namespace ptc {
namespace {

struct Namespace {
  std::string_view prefix;
  BuiltinCategory category;
  std::string_view title;
};

constexpr auto kNamespaces = std::to_array<Namespace>({
    {"clojure.core", BuiltinCategory::Core, "Core"},     {"core", BuiltinCategory::Core, "Core"},
    {"clojure.string", BuiltinCategory::String, "String"}, {"str", BuiltinCategory::String, "String"},
    {"string", BuiltinCategory::String, "String"},       {"clojure.set", BuiltinCategory::Set, "Set"},
    {"set", BuiltinCategory::Set, "Set"},                {"clojure.walk", BuiltinCategory::Walk, "Walk"},
    {"walk", BuiltinCategory::Walk, "Walk"},             {"regex", BuiltinCategory::Regex, "Regex"},
    {"json", BuiltinCategory::Json, "JSON"},
});

constexpr std::string_view kNamespaceList =
    "tool/, data/, budget/, clojure.core/, clojure.string/ (str/, string/), clojure.set/ (set/), "
    "clojure.walk/ (walk/), regex/, json/, Math/, System/, Double/, Float/, Integer/, Long/, Boolean/, "
    "LocalDate/, Instant/, Duration/, ChronoUnit/, ZoneOffset/, DateTimeFormatter/";

// Builtins that a namespace has beyond the builtins of its category, as in Clojure.
struct Extra {
  BuiltinCategory category;
  std::string_view name;
};

constexpr auto kExtras = std::to_array<Extra>({
    {BuiltinCategory::Core, "keyword"},       {BuiltinCategory::Core, "name"},
    {BuiltinCategory::Core, "str"},           {BuiltinCategory::Core, "pr-str"},
    {BuiltinCategory::Core, "format"},        {BuiltinCategory::Core, "subs"},
    {BuiltinCategory::Core, "parse-long"},    {BuiltinCategory::Core, "parse-int"},
    {BuiltinCategory::Core, "parse-double"},  {BuiltinCategory::Core, "parse-boolean"},
    {BuiltinCategory::Core, "replace"},       {BuiltinCategory::Core, "re-pattern"},
    {BuiltinCategory::Core, "re-find"},       {BuiltinCategory::Core, "re-matches"},
    {BuiltinCategory::Core, "re-seq"},        {BuiltinCategory::Core, "re-groups"},
    {BuiltinCategory::Set, "set"},            {BuiltinCategory::Set, "set?"},
    {BuiltinCategory::Set, "hash-set"},       {BuiltinCategory::Set, "vec"},
    {BuiltinCategory::Set, "vector"},         {BuiltinCategory::Set, "contains?"},
    {BuiltinCategory::Set, "disj"},           {BuiltinCategory::Regex, "regex?"},
});

struct InteropClass {
  std::string_view name;
  std::string_view package;
  std::string_view methods;    // of instances, each between blanks
};

constexpr auto kClasses = std::to_array<InteropClass>({
    {"Math", "java.lang.", ""},
    {"System", "java.lang.", ""},
    {"Double", "java.lang.", ""},
    {"Float", "java.lang.", ""},
    {"Integer", "java.lang.", ""},
    {"Long", "java.lang.", ""},
    {"Boolean", "java.lang.", ""},
    {"String", "java.lang.",
     " contains indexOf lastIndexOf startsWith endsWith toLowerCase toUpperCase length substring trim "},
    {"LocalDate", "java.time.",
     " isBefore isAfter toEpochDay plusDays minusDays plusWeeks minusWeeks plusMonths minusMonths "
     "plusYears minusYears plus minus until withYear withMonth withDayOfMonth getYear getMonth "
     "getMonthValue getDayOfMonth getDayOfYear getDayOfWeek lengthOfMonth lengthOfYear isLeapYear "
     "truncatedTo atStartOfDay format "},
    {"Instant", "java.time.",
     " isBefore isAfter toEpochMilli getEpochSecond plusHours minusHours plusMinutes minusMinutes plusSeconds "
     "minusSeconds plusMillis minusMillis plus minus until withYear withMonth withDayOfMonth getYear getMonth "
     "getMonthValue getDayOfMonth getDayOfYear getDayOfWeek getHour getMinute getSecond truncatedTo format "},
    {"Duration", "java.time.",
     " toMillis toSeconds toMinutes toHours toDays plus minus plusHours minusHours plusMinutes minusMinutes "
     "plusSeconds minusSeconds plusMillis minusMillis "},
    {"Period", "java.time.", ""},
    {"ZoneOffset", "java.time.", ""},
    {"ChronoUnit", "java.time.temporal.", " between "},
    {"DateTimeFormatter", "java.time.format.", ""},
    {"Date", "java.util.", " getTime before after toInstant "},
});

const InteropClass* find_class(std::string_view space) {
  for (const InteropClass& known : kClasses) {
    if (space == known.name) return &known;
    if (space.starts_with(known.package) && space.substr(known.package.size()) == known.name) return &known;
  }
  return nullptr;
}

const Namespace* find_namespace(std::string_view space) {
  const auto at = std::find_if(kNamespaces.begin(), kNamespaces.end(),
                               [space](const Namespace& known) { return known.prefix == space; });
  return at == kNamespaces.end() ? nullptr : &*at;
}

bool is_extra(BuiltinCategory category, std::string_view name) {
  return std::any_of(kExtras.begin(), kExtras.end(),
                     [&](const Extra& extra) { return extra.category == category && extra.name == name; });
}

std::optional<BuiltinId> find_in_namespace(const Namespace& space, std::string_view member) {
  if (space.category == BuiltinCategory::String) {
    if (const auto id = find_builtin("clojure.string/" + std::string(member))) return id;
  }
  const auto id = find_builtin(space.category == BuiltinCategory::Json ? "json/" + std::string(member)
                                                                       : std::string(member));
  if (!id) return std::nullopt;
  if (builtin_info(*id).category == space.category || is_extra(space.category, member)) return id;
  return std::nullopt;
}

std::optional<BuiltinId> find_member(const InteropClass& known, std::string_view member) {
  if (const auto id = find_builtin(std::string(known.name) + "/" + std::string(member))) return id;
  const std::string padded = " " + std::string(member) + " ";
  if (member.empty() || known.methods.find(padded) == std::string_view::npos) return std::nullopt;
  return find_builtin("." + std::string(member));
}

std::string join_sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string list_namespace(const Namespace& space) {
  std::vector<std::string> names;
  for (const BuiltinInfo& info : kBuiltins) {
    if (info.category != space.category) continue;
    const std::size_t slash = info.name.size() > 1 ? info.name.find('/') : std::string_view::npos;
    names.emplace_back(slash == std::string_view::npos ? info.name : info.name.substr(slash + 1));
  }
  for (const Extra& extra : kExtras) {
    if (extra.category == space.category) names.emplace_back(extra.name);
  }
  return join_sorted(std::move(names));
}

std::string list_class(const InteropClass& known) {
  std::vector<std::string> names;
  const std::string prefix = std::string(known.name) + "/";
  for (const BuiltinInfo& info : kBuiltins) {
    if (info.name.starts_with(prefix)) names.emplace_back(info.name);
  }
  if (names.empty()) return "none";
  return join_sorted(std::move(names));
}

std::string list_methods() {
  std::vector<std::string> names;
  for (const BuiltinInfo& info : kBuiltins) {
    if (info.name.starts_with(".")) names.emplace_back(info.name);
  }
  return join_sorted(std::move(names));
}

}  // namespace

Node* Analyzer::analyze_qualified(const Form& form, std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view space = name.substr(0, slash);
  const std::string_view member = name.substr(slash + 1);
  if (space == "data") {
    if (member.empty())
      return fail(form, FaultKind::InvalidForm, "data/ must be followed by the name of a key");
    Node* node = ast_.make(NodeKind::Data, form.span);
    node->text = member;
    if (options_.notes != nullptr) options_.notes->data.push_back({std::string(member), form.span});
    return node;
  }
  if (space == "tool") return analyze_tool_name(form, member);
  if (space == "budget") {
    if (member == "remaining") return analyze_builtin(form, BuiltinId::budget_remaining);
    return fail(form.span, FaultKind::InvalidForm,
                {"Unknown budget function: budget/", member, ". Available: budget/remaining"});
  }
  if (const Namespace* known = find_namespace(space)) {
    if (const auto id = find_in_namespace(*known, member)) return analyze_builtin(form, *id);
    return fail(form.span, FaultKind::InvalidForm,
                {member, " is not available. ", known->title, " functions: ", list_namespace(*known)});
  }
  if (const InteropClass* known = find_class(space)) {
    if (const auto id = find_member(*known, member)) return analyze_builtin(form, *id);
    return fail(form.span, FaultKind::UnsupportedJavaMember,
                {name, " is not supported. ", known->name, " members: ", list_class(*known)});
  }
  return fail_namespace(form, space, member);
}

namespace {

// Returns the prefix that `space` is most likely a slip of, or "" when none is close.
std::string_view closest_namespace(std::string_view space) {
  std::vector<std::string_view> known{"tool", "data", "budget"};
  for (const Namespace& one : kNamespaces) known.push_back(one.prefix);
  for (const InteropClass& one : kClasses) known.push_back(one.name);
  return closest_name(space, known);
}

}  // namespace

Node* Analyzer::fail_namespace(const Form& form, std::string_view space, std::string_view) {
  static constexpr auto kJsonLibraries = std::to_array<std::string_view>(
      {"cheshire.core", "cheshire", "clojure.data.json", "data.json", "jsonista.core", "jsonista", "JSON"});
  std::string hint = "Available namespaces: " + std::string(kNamespaceList);
  const std::string_view closest = closest_namespace(space);
  if (!closest.empty()) hint = "Did you mean: " + std::string(closest) + "/. " + hint;
  if (std::find(kJsonLibraries.begin(), kJsonLibraries.end(), space) != kJsonLibraries.end()) {
    hint = "Use json/parse-string and json/generate-string";
  }
  return fail(form.span, FaultKind::InvalidForm,
              {"unknown namespace ", space, "/. Use tool/ for tools, data/ for input data"}, hint);
}

// An unknown method is reported after the names that nothing defines.
Node* Analyzer::analyze_method(const Form& form, std::string_view name) {
  if (const auto id = find_builtin(name)) return analyze_builtin(form, *id);
  unknown_methods_.emplace_back(name, form.span);
  return make_nil(form.span);
}

bool Analyzer::report_unknown_methods() {
  if (unknown_methods_.empty()) return true;
  const auto& [name, span] = unknown_methods_.front();
  fail(span, FaultKind::UnsupportedMethod,
       {"Unknown method '", name, "'. Supported interop methods: ", list_methods()},
       "Use (.method obj) syntax");
  return false;
}

}  // namespace ptc
