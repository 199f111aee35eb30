#include <algorithm>

#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

// The last ones have characters of several code points, which Clojure counts one by one.
constexpr std::string_view kWords[] = {"apple", "birch",     "cedar", "dill",  "elm",    "fig",   "",         "Zoë",
                                       "a-b",   "two words", " pad ", "x1y22", "straße", "UPPER",
                                       "e\u0301te", "👩‍🚀!"};
constexpr std::size_t kManyPoints = 2;
constexpr std::string_view kFloats[] = {"0.5",   "1.25",  "-2.0",  "3.0",    "0.1",       "17.75", "-0.5",
                                        "100.0", "0.125", "2.675", "1.0e-7", "12345.678", "-0.0",
                                        "0.3333333333333333"};
constexpr std::string_view kLargeIntegers[] = {"123456789012", "-9007199254740993", "4611686018427387904"};
constexpr std::string_view kKeys[] = {"alpha", "beta", "gamma", "delta", "eps", "zeta"};
constexpr unsigned kLongest = 4;         // elements of a literal collection

}  // namespace

Text Composer::integer() {
  if (random_.chance(4)) return Text(in_clojure() ? kLargeIntegers[0] : random_.pick(kLargeIntegers));
  return std::to_string(random_.chance(70) ? random_.between(0, 9) : random_.between(-20, 120));
}

Text Composer::keyword() { return ':' + Text(random_.pick(kKeys)); }

Text Composer::quoted_word() {
  const std::span<const std::string_view> all(kWords);
  return '"' + Text(random_.pick(in_clojure() ? all.first(all.size() - kManyPoints) : all)) + '"';
}


// Equal keys in one literal are refused by the language.
std::vector<Text> Composer::different_keys(Kind kind, unsigned count) {
  std::vector<Text> keys;
  const unsigned first = random_.below(std::size(kKeys));
  for (unsigned i = 0; i < std::min<unsigned>(count, std::size(kKeys)); ++i) {
    const Text name(kKeys[(first + i) % std::size(kKeys)]);
    keys.push_back(kind == Kind::KeywordMap ? ':' + name : '"' + name + '"');
  }
  return keys;
}

// As data: with the spellings that tools use, and no names in it.
Text Composer::literal(TypeRef type, unsigned depth, bool as_data) {
  const unsigned count = depth == 0 ? random_.below(2) : random_.below(kLongest + 1);
  std::vector<Text> parts;
  switch (type->kind) {
    case Kind::Int: return integer();
    case Kind::Float: return Text(random_.pick(kFloats));
    case Kind::String: return quoted_word();
    case Kind::Keyword: return keyword();
    case Kind::Bool: return random_.chance(50) ? "true" : "false";
    case Kind::Record: {
      const bool text_keys = as_data && random_.chance(60);
      for (const RecordField& field : record_fields()) {
        parts.push_back(text_keys ? '"' + Text(field.name) + '"' : ':' + Text(field.name));
        parts.push_back(literal(field.type, 0, as_data));
      }
      return joined(parts, "{", "}");
    }
    case Kind::IntSet: {
      const int first = random_.between(-3, 9);
      for (unsigned i = 0; i < count; ++i) parts.push_back(std::to_string(first + static_cast<int>(i * i)));
      return joined(parts, "#{", "}");
    }
    case Kind::Vector:
      for (unsigned i = 0; i < count; ++i) parts.push_back(literal(type->element, depth > 0 ? depth - 1 : 0, as_data));
      return joined(parts, "[", "]");
    case Kind::KeywordMap:
    case Kind::StringMap:
      for (Text& key : different_keys(type->kind, count)) {
        parts.push_back(std::move(key));
        parts.push_back(literal(type->element, depth > 0 ? depth - 1 : 0, as_data));
      }
      return joined(parts, "{", "}");
    case Kind::Handle:
    case Kind::Function: return leaf(type);
  }
  return "nil";
}

}  // namespace ptc::generator
