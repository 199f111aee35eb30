#include "agents/chain/check/schema_check.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "agents/chain/check/bounded_regex.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::uint64_t kMostWork = 1'000'000;
constexpr int kMostDepth = 64;   // of schemas in schemas, by $ref too

// Words that would decide something. Everything else that is not in the table of words describes.
constexpr std::array<std::string_view, 13> kUnknownWords = {
    "patternProperties", "propertyNames",     "dependentRequired",   "dependentSchemas", "contains",
    "if",                "unevaluatedItems",  "unevaluatedProperties", "multipleOf",     "$dynamicRef",
    "$recursiveRef",     "dependencies",      "additionalItems"};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool is_whole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::isfinite(value.get_double()) && std::floor(value.get_double()) == value.get_double();
}

// 1 and 1.0 are one number.
bool is_equal(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number() && a.kind() != b.kind()) return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

class SchemaCheck {
 public:
  explicit SchemaCheck(const json::value& root) : root_(root) {}

  bool fits(const json::value& document, const json::value& schema);
  std::string message() const { return why_; }

 private:
  struct Word {
    std::string_view name;
    bool (SchemaCheck::*check)(const json::value& document, const json::value& word, const json::object& schema);
  };
  static const Word* word_of(std::string_view name);

  bool fail(std::string why) {
    if (why_.empty() || !is_trying_) why_ = (path_.empty() ? "" : "at " + path_ + ": ") + std::move(why);
    return false;
  }
  // A fault of the schema, or too much work, is no mere mismatch: `not` and `anyOf` must not turn it around.
  bool refuse(std::string why) {
    is_refused_ = true;
    why_.clear();
    return fail(std::move(why));
  }
  bool works(std::uint64_t amount) {
    work_ += amount;
    return work_ <= kMostWork || refuse("too much work");
  }
  bool tries(const json::value& document, const json::value& schema) {
    const bool before = is_trying_;
    is_trying_ = true;
    const bool is_fit = fits(document, schema);
    is_trying_ = before;
    if (!is_refused_ && !before) why_.clear();
    return is_fit && !is_refused_;
  }
  bool fits_below(const json::value& document, const json::value& schema, std::string_view step) {
    const std::size_t length = path_.size();
    path_.append(1, '/').append(step);
    const bool is_fit = fits(document, schema);
    path_.resize(length);
    return is_fit;
  }

  bool type(const json::value& document, const json::value& word, const json::object&);
  bool one_of(const json::value& document, const json::value& word, const json::object&);
  bool constant(const json::value& document, const json::value& word, const json::object&);
  bool bound(const json::value& document, const json::value& word, std::string_view name,
             bool (*holds)(double, double));
  bool size(const json::value& word, std::string_view name, std::size_t found, bool is_least);
  bool pattern(const json::value& document, const json::value& word, const json::object&);
  bool items(const json::value& document, const json::value& word, const json::object& schema);
  bool prefix_items(const json::value& document, const json::value& word, const json::object&);
  bool unique_items(const json::value& document, const json::value& word, const json::object&);
  bool properties(const json::value& document, const json::value& word, const json::object&);
  bool required(const json::value& document, const json::value& word, const json::object&);
  bool additional(const json::value& document, const json::value& word, const json::object& schema);
  bool all_of(const json::value& document, const json::value& word, const json::object&);
  bool any_of(const json::value& document, const json::value& word, const json::object&);
  bool exactly_one_of(const json::value& document, const json::value& word, const json::object&);
  bool none_of(const json::value& document, const json::value& word, const json::object&);
  bool reference(const json::value& document, const json::value& word, const json::object&);

  const json::value& root_;
  std::string path_, why_;
  std::uint64_t work_ = 0;
  int depth_ = 0;
  bool is_trying_ = false, is_refused_ = false;
};

bool has_type(const json::value& document, std::string_view name) {
  if (name == "null") return document.is_null();
  if (name == "boolean") return document.is_bool();
  if (name == "object") return document.is_object();
  if (name == "array") return document.is_array();
  if (name == "string") return document.is_string();
  if (name == "number") return document.is_number();
  return name == "integer" && is_whole(document);
}

bool SchemaCheck::type(const json::value& document, const json::value& word, const json::object&) {
  const auto holds = [&](const json::value& name) {
    return name.is_string() && has_type(document, std::string_view(name.get_string()));
  };
  if (word.is_array() ? std::any_of(word.get_array().begin(), word.get_array().end(), holds) : holds(word)) return true;
  return fail("expected " + (word.is_string() ? std::string(word.get_string()) : json::serialize(word)));
}

bool SchemaCheck::one_of(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_array()) return refuse("enum must be a list");
  if (!works(word.get_array().size())) return false;
  const auto is_it = [&](const json::value& one) { return is_equal(one, document); };
  return std::any_of(word.get_array().begin(), word.get_array().end(), is_it) ||
         fail("expected one of " + json::serialize(word));
}

bool SchemaCheck::constant(const json::value& document, const json::value& word, const json::object&) {
  return is_equal(document, word) || fail("expected " + json::serialize(word));
}

bool SchemaCheck::bound(const json::value& document, const json::value& word, std::string_view name,
                        bool (*holds)(double, double)) {
  if (!document.is_number()) return true;
  if (!word.is_number()) return refuse(std::string(name) + " must be a number");
  return holds(document.to_number<double>(), word.to_number<double>()) ||
         fail(std::string(name) + " is " + json::serialize(word) + ", got " + json::serialize(document));
}

bool SchemaCheck::size(const json::value& word, std::string_view name, std::size_t found, bool is_least) {
  boost::system::error_code error;
  const auto wanted = word.to_number<std::uint64_t>(error);
  if (error) return refuse(std::string(name) + " must be a count");
  return (is_least ? found >= wanted : found <= wanted) ||
         fail(std::string(name) + " is " + std::to_string(wanted) + ", got " + std::to_string(found));
}

bool SchemaCheck::pattern(const json::value& document, const json::value& word, const json::object&) {
  if (!document.is_string()) return true;
  if (!word.is_string()) return refuse("pattern must be a text");
  if (!works(document.get_string().size() / 64 + 1'000)) return false;
  const re2::StringPiece text(word.get_string().data(), word.get_string().size());
  const RE2 regex(text, bounded_regex_options());
  if (!regex.ok()) return refuse("pattern is no pattern of RE2: " + regex.error());
  return RE2::PartialMatch(re2::StringPiece(document.get_string().data(), document.get_string().size()), regex) ||
         fail("does not match " + json::serialize(word));
}

bool SchemaCheck::items(const json::value& document, const json::value& word, const json::object& schema) {
  const json::array* const array = document.if_array();
  if (array == nullptr) return true;
  const json::value* const prefix = schema.if_contains("prefixItems");
  std::size_t first = prefix != nullptr && prefix->is_array() ? prefix->get_array().size() : 0;
  for (; first < array->size(); ++first) {
    if (!fits_below((*array)[first], word, std::to_string(first))) return false;
  }
  return true;
}

bool SchemaCheck::prefix_items(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_array()) return refuse("prefixItems must be a list");
  const json::array* const array = document.if_array();
  if (array == nullptr) return true;
  for (std::size_t i = 0; i < array->size() && i < word.get_array().size(); ++i) {
    if (!fits_below((*array)[i], word.get_array()[i], std::to_string(i))) return false;
  }
  return true;
}

bool SchemaCheck::unique_items(const json::value& document, const json::value& word, const json::object&) {
  const json::array* const array = document.if_array();
  if (array == nullptr || !word.is_bool() || !word.get_bool()) return true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    if (!works(i)) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (!is_equal((*array)[i], (*array)[k])) continue;
      return fail("two equal items: " + std::to_string(k) + " and " + std::to_string(i));
    }
  }
  return true;
}

bool SchemaCheck::properties(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_object()) return refuse("properties must be an object");
  const json::object* const object = document.if_object();
  if (object == nullptr) return true;
  if (!works(word.get_object().size())) return false;
  return std::all_of(word.get_object().begin(), word.get_object().end(), [&](const auto& member) {
    const json::value* const found = object->if_contains(member.key());
    return found == nullptr || fits_below(*found, member.value(), member.key());
  });
}

bool SchemaCheck::required(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_array()) return refuse("required must be a list");
  const json::object* const object = document.if_object();
  if (object == nullptr) return true;
  if (!works(word.get_array().size())) return false;
  for (const json::value& name : word.get_array()) {
    if (!name.is_string()) return refuse("required must be a list of names");
    if (!object->contains(name.get_string())) return fail("\"" + std::string(name.get_string()) + "\" is missing");
  }
  return true;
}

bool SchemaCheck::additional(const json::value& document, const json::value& word, const json::object& schema) {
  const json::object* const object = document.if_object();
  if (object == nullptr) return true;
  const json::value* const known = schema.if_contains("properties");
  for (const auto& [name, value] : *object) {
    if (known != nullptr && known->is_object() && known->get_object().contains(name)) continue;
    if (word.is_bool() && !word.get_bool()) return fail("unknown member \"" + std::string(name) + '"');
    if (!fits_below(value, word, name)) return false;
  }
  return true;
}

bool SchemaCheck::all_of(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_array()) return refuse("allOf must be a list");
  return std::all_of(word.get_array().begin(), word.get_array().end(),
                     [&](const json::value& one) { return fits(document, one); });
}

bool SchemaCheck::any_of(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_array()) return refuse("anyOf must be a list");
  const auto is_fit = [&](const json::value& one) { return tries(document, one); };
  return std::any_of(word.get_array().begin(), word.get_array().end(), is_fit) ||
         (is_refused_ ? false : fail("fits no part of anyOf"));
}

bool SchemaCheck::exactly_one_of(const json::value& document, const json::value& word, const json::object&) {
  if (!word.is_array()) return refuse("oneOf must be a list");
  const auto count = std::count_if(word.get_array().begin(), word.get_array().end(),
                                   [&](const json::value& one) { return tries(document, one); });
  if (is_refused_) return false;
  return count == 1 || fail("fits " + std::to_string(count) + " parts of oneOf");
}

bool SchemaCheck::none_of(const json::value& document, const json::value& word, const json::object&) {
  const bool is_fit = tries(document, word);
  if (is_refused_) return false;
  return !is_fit || fail("fits what is under not");
}

bool SchemaCheck::reference(const json::value& document, const json::value& word, const json::object&) {
  const std::string_view text = word.is_string() ? std::string_view(word.get_string()) : std::string_view();
  if (!text.starts_with('#')) return refuse("$ref must begin with #: other documents are not read");
  boost::system::error_code error;
  const json::value* const found = root_.find_pointer(text.substr(1), error);
  if (found == nullptr || error) return refuse("$ref names nothing: " + std::string(text));
  return fits(document, *found);
}

const SchemaCheck::Word* SchemaCheck::word_of(std::string_view name) {
  static constexpr auto kWords = std::to_array<Word>({
      {"type", &SchemaCheck::type},
      {"enum", &SchemaCheck::one_of},
      {"const", &SchemaCheck::constant},
      {"pattern", &SchemaCheck::pattern},
      {"items", &SchemaCheck::items},
      {"prefixItems", &SchemaCheck::prefix_items},
      {"uniqueItems", &SchemaCheck::unique_items},
      {"properties", &SchemaCheck::properties},
      {"required", &SchemaCheck::required},
      {"additionalProperties", &SchemaCheck::additional},
      {"allOf", &SchemaCheck::all_of},
      {"anyOf", &SchemaCheck::any_of},
      {"oneOf", &SchemaCheck::exactly_one_of},
      {"not", &SchemaCheck::none_of},
      {"$ref", &SchemaCheck::reference},
  });
  const auto found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) { return word.name == name; });
  return found == kWords.end() ? nullptr : &*found;
}

bool SchemaCheck::fits(const json::value& document, const json::value& schema) {
  if (is_refused_ || !works(1)) return false;
  if (schema.is_bool()) return schema.get_bool() || fail("nothing is allowed here");
  if (!schema.is_object()) return refuse("a schema is an object, true or false");
  if (depth_ == kMostDepth) return refuse("schemas are nested too deeply");
  ++depth_;
  bool is_fit = true;
  const json::object& words = schema.get_object();
  for (auto member = words.begin(); is_fit && member != words.end(); ++member) {
    const std::string_view name = member->key();
    const json::value& word = member->value();
    if (const Word* const known = word_of(name)) {
      is_fit = (this->*known->check)(document, word, words);
    } else if (name == "minimum") {
      is_fit = bound(document, word, name, [](double a, double b) { return a >= b; });
    } else if (name == "maximum") {
      is_fit = bound(document, word, name, [](double a, double b) { return a <= b; });
    } else if (name == "exclusiveMinimum") {
      is_fit = bound(document, word, name, [](double a, double b) { return a > b; });
    } else if (name == "exclusiveMaximum") {
      is_fit = bound(document, word, name, [](double a, double b) { return a < b; });
    } else if (document.is_string() && (name == "minLength" || name == "maxLength")) {
      is_fit = size(word, name, characters(document.get_string()), name == "minLength");
    } else if (document.is_array() && (name == "minItems" || name == "maxItems")) {
      is_fit = size(word, name, document.get_array().size(), name == "minItems");
    } else if (document.is_object() && (name == "minProperties" || name == "maxProperties")) {
      is_fit = size(word, name, document.get_object().size(), name == "minProperties");
    } else if (std::find(kUnknownWords.begin(), kUnknownWords.end(), name) != kUnknownWords.end()) {
      is_fit = refuse("the word " + std::string(name) + " is not known here");
    }
  }
  --depth_;
  return is_fit;
}

}  // namespace

std::optional<std::string> schema_mismatch(const json::value& document, const json::value& schema) {
  SchemaCheck check(schema);
  if (check.fits(document, schema)) return std::nullopt;
  return check.message();
}

}  // namespace ptcvm::chain
