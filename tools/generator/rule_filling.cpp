// Reads the tables of rules: which of them give a type, and the text of one with its holes filled.
#include <algorithm>

#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

constexpr std::string_view kDates[] = {"2024-01-15", "1999-12-31", "2024-02-29", "1970-01-01", "2031-07-04"};
constexpr std::string_view kInstants[] = {"2024-01-15T10:00:00Z", "1999-12-31T23:59:59Z", "2031-07-04T00:00:00Z"};

std::span<const Rule> (*const kTables[])() = {number_rules, float_rules, test_rules, text_rules, sequence_rules,
                                              map_rules,    date_rules,  run_rules,  edge_rules};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// A type that is still open is one letter.
bool is_open(std::string_view pattern) {
  return is_letter(pattern.front()) && (pattern.size() == 1 || !is_letter(pattern[1]));
}

bool is_printable(TypeRef type) { return type->is_scalar() && type->kind != Kind::Float; }

bool may_be(char letter, TypeRef type) {
  if (letter == 'x' || letter == 'y') return type->is_scalar();
  if (letter == 'p' || letter == 'q') return is_printable(type);
  return type->is_data();
}

std::string_view take_word(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_letter(text[size])) ++size;
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Takes the words between the braces of "{one two}". A string or a bracket is part of a word.
std::vector<std::string_view> take_words(std::string_view& text) {
  std::vector<std::string_view> words;
  std::size_t depth = 0, begin = 1, at = 0;
  bool in_string = false;
  for (;; ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
    const bool closes = c == ')' || c == ']' || c == '}';
    depth -= closes ? 1 : 0;
    const bool ends = depth == 0;
    if (ends || (c == ' ' && depth == 1)) {
      words.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
    if (ends) break;
  }
  text.remove_prefix(at + 1);
  return words;
}

}  // namespace

bool Composer::allowed(const Rule& rule) const { return (rule.flags & (in_clojure() ? kOurs : kClojure)) == 0; }

TypeRef Composer::named_type(std::string_view name) const {
  if (name == "int") return int_;
  if (name == "float") return float_;
  if (name == "str") return string_;
  if (name == "key") return keyword_;
  if (name == "bool") return bool_;
  return name == "rec" ? record_ : int_set_;
}

// Whether the pattern can be that type. What was open is bound then.
bool Composer::matches(std::string_view& pattern, TypeRef type, OpenTypes& open) const {
  const char c = pattern.front();
  if (is_open(pattern)) {
    pattern.remove_prefix(1);
    TypeRef& bound = open.types[static_cast<std::size_t>(c - 'a')];
    if (bound != nullptr) return bound == type;
    bound = type;
    return may_be(c, type);
  }
  if (is_letter(c)) return named_type(take_word(pattern)) == type;
  const bool is_map = type->kind == Kind::KeywordMap || type->kind == Kind::StringMap;
  const char close = c == '[' ? ']' : c == '{' ? '}' : c == '<' ? '>' : '|';
  const bool fits = c == '['   ? type->kind == Kind::Vector
                    : c == '{' ? type->kind == Kind::KeywordMap
                    : c == '<' ? type->kind == Kind::StringMap
                               : is_map && open.map_kind.value_or(type->kind) == type->kind;
  if (!fits) return false;
  if (c == '|') open.map_kind = type->kind;
  pattern.remove_prefix(1);
  return matches(pattern, type->element, open) && take(pattern, close);
}

bool Composer::matches_function(std::string_view pattern, std::span<const TypeRef> from, TypeRef to,
                                OpenTypes& open) const {
  if (!take(pattern, '(')) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i > 0 && !take(pattern, ',')) return false;
    if (!matches(pattern, from[i], open)) return false;
  }
  return take(pattern, '>') && matches(pattern, to, open);
}

// What is open and not bound yet is chosen.
TypeRef Composer::type_of(std::string_view& pattern, OpenTypes& open) {
  const char c = pattern.front();
  if (is_open(pattern)) {
    pattern.remove_prefix(1);
    TypeRef& bound = open.types[static_cast<std::size_t>(c - 'a')];
    while (bound == nullptr || !may_be(c, bound)) bound = c == 'a' || c == 'b' ? any_data(1) : any_scalar();
    return bound;
  }
  if (is_letter(c)) return named_type(take_word(pattern));
  pattern.remove_prefix(1);
  const TypeRef element = type_of(pattern, open);
  pattern.remove_prefix(1);
  if (c == '[') return types_.vector_of(element);
  if (c == '{') return types_.keyword_map_of(element);
  if (c == '<') return types_.string_map_of(element);
  return map_kind(open) == Kind::KeywordMap ? types_.keyword_map_of(element) : types_.string_map_of(element);
}

Kind Composer::map_kind(OpenTypes& open) {
  if (!open.map_kind) open.map_kind = random_.chance(60) ? Kind::KeywordMap : Kind::StringMap;
  return *open.map_kind;
}

Text Composer::filled_function(std::string_view& text, OpenTypes& open, unsigned depth) {
  text.remove_prefix(1);
  std::vector<TypeRef> from;
  while (text.front() != '>') {
    from.push_back(type_of(text, open));
    take(text, ',');
  }
  text.remove_prefix(1);
  const TypeRef to = type_of(text, open);
  text.remove_prefix(1);
  return function_with(from, to, depth);
}

Text Composer::filled_hole(std::string_view& text, OpenTypes& open, unsigned depth) {
  if (text.front() == '(') return filled_function(text, open, depth);
  if (is_letter(text.front())) {
    std::string_view rest = text;
    const std::string_view word = take_word(rest);
    if (const auto literal = literal_hole(word, open, depth)) {
      text = rest;
      return *literal;
    }
  }
  return expression(type_of(text, open), depth);
}

std::optional<Text> Composer::literal_hole(std::string_view word, OpenTypes& open, unsigned depth) {
  if (word == "num") return integer();
  if (word == "nz") return std::to_string(random_.between(2, 13));
  if (word == "small") return std::to_string(random_.below(6));
  if (word == "some") return std::to_string(random_.between(1, 3));
  if (word == "word") return quoted_word();
  if (word == "kw") return keyword();
  if (word == "mapkey") return key_expression(map_kind(open), depth);
  if (word == "mapkeys") return joined(different_keys(map_kind(open), 1 + random_.below(4)), "[", "]");
  if (word == "date") return '"' + Text(random_.pick(kDates)) + '"';
  if (word == "instant") return '"' + Text(random_.pick(kInstants)) + '"';
  return std::nullopt;
}

Text Composer::filled(const Rule& rule, OpenTypes open, unsigned depth) {
  Text out;
  std::string_view text = rule.text;
  while (!text.empty()) {
    const char c = text.front();
    const char next = text.size() > 1 ? text[1] : ' ';
    text.remove_prefix(1);
    if (c == '@' && next == '{') {
      out += random_.pick(take_words(text));
    } else if (c == '$' && (is_letter(next) || std::string_view("([{<|").find(next) != std::string_view::npos)) {
      out += filled_hole(text, open, depth);
    } else {
      out += c;
    }
  }
  if (in_clojure() && (rule.flags & kSeq) != 0) return form({"vec", std::move(out)});
  return out;
}

// The rules for this type, or those for any type.
const std::vector<FittingRule>& Composer::rules_for(TypeRef type, bool general) {
  const auto [place, is_new] = vocabulary_.fitting_rules.try_emplace({type, general, in_clojure()});
  if (!is_new) return place->second;
  for (const auto table : kTables) {
    for (const Rule& rule : table()) {
      std::string_view pattern = rule.result;
      OpenTypes open;
      if (is_open(pattern) == general && allowed(rule) && matches(pattern, type, open)) {
        place->second.push_back({&rule, open});
      }
    }
  }
  return place->second;
}

Text Composer::ruled(TypeRef type, unsigned depth, bool general) {
  const FittingRule picked = random_.pick(rules_for(type, general));
  Text text = filled(*picked.rule, picked.open, depth);
  return (picked.rule->flags & kGrows) != 0 ? bounded(type, std::move(text)) : text;
}

Text Composer::ruled_generally(TypeRef type, unsigned depth) { return ruled(type, depth, true); }

// No rule has more than two arguments.
const std::vector<FittingRule>& Composer::functions_for(std::span<const TypeRef> from, TypeRef to, bool plain) {
  const auto argument = [&](std::size_t i) { return i < from.size() ? from[i] : nullptr; };
  const bool may_grow = !growing();
  const auto [place, is_new] = vocabulary_.fitting_functions.try_emplace(
      {to, from.size(), argument(0), argument(1), plain, may_grow, in_clojure()});
  if (!is_new) return place->second;
  for (const Rule& rule : function_rules()) {
    OpenTypes open;
    if (!allowed(rule) || (plain && rule.text.find('$') != std::string_view::npos)) continue;
    if (((rule.flags & kGrows) == 0 || may_grow) && matches_function(rule.result, from, to, open)) {
      place->second.push_back({&rule, open});
    }
  }
  return place->second;
}

// Returns a builtin by its name, or a combination of functions. A plain function has nothing to fill in.
std::optional<Text> Composer::ruled_function(std::span<const TypeRef> from, TypeRef to, unsigned depth, bool plain) {
  const std::vector<FittingRule>& fitting = functions_for(from, to, plain);
  if (fitting.empty()) return std::nullopt;
  const FittingRule picked = random_.pick(fitting);
  return filled(*picked.rule, picked.open, depth);
}

}  // namespace ptc::generator
