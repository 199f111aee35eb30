#include "limits/cost/form_mutation.h"

#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "schema/builtin_id.h"

namespace ptc::test {
namespace {

using generator::Random;

constexpr std::size_t kMostProgramBytes = 4'000;

// Large values, closed, with as little fuel as they can be made with.
constexpr std::string_view kLarge[] = {
    "(reduce (fn [s _] (str s s)) \"Grüße an a \" (range 17))",
    "(reduce (fn [s _] (str s s)) \"        \" (range 18))",
    "(reduce (fn [s _] (str s s)) \"a-b_c-d_\" (range 18))",
    "(str \"e\" (reduce (fn [s _] (str s s)) \"\u0301\u0301\" (range 19)))",
    "(reduce (fn [a _] [a]) 1 (range 3000))",
    "(reduce (fn [a _] [a a]) 1 (range 40))",
    "(reduce (fn [a _] (fn [& xs] [a \"a text of a closure\"])) 1 (range 2000))",
    "(zipmap (range 3000) (range 3000))",
    "(zipmap (map str (range 3000)) (range 3000))",
    "(set (range 5000))",
    "(dec (bit-shift-left 1 65000))",
    "(range 100000)",
    "(vec (range 20000))",
    "(re-pattern \"(\\\\pL{9}\\\\pN{9}[^a-zä-ü]{9}){4}(x*)*y\")",
    "(json/generate-string (range 20000))",
    "(repeat 20000 \"ab\")",
    "(pmap inc (range 100))",
};
constexpr std::string_view kSmall[] = {
    "1", "0", "-1", "2", "1000", "9223372036854775807", "1.5", "nil", "true", ":a", "\"a\"", "\"b\"", "\"%s\"", "\"\"",
    "[3 1 2]", "{:a 1 \"b\" 2}", "#{1 2}", "[{:a 1} {\"b\" 2}]", "[[1 2] [3 4]]", "(fn [& xs] (first xs))",
    "(fn [& xs] true)", "inc", "+", "str", "identity", "#\"a+\"", "[]", "{}",
};
// FORM is what is repeated or wrapped.
constexpr std::string_view kWrapped[] = {
    "(reduce (fn [_ _] (do FORM nil)) nil (range 10000000))",
    "(let [v FORM] (reduce (fn [_ _] (do (first v) nil)) nil (range 100000)))",
    "(count (sort (fn [a b] (do FORM (< a b))) (range 300)))",
    "(mapv (fn [i] FORM) (range 1000))",
    "(map (fn [i] (fn [] [i FORM])) (range 1000))",
    "(count (pmap (fn [_] FORM) (range 100)))",
    "(reduce (fn [a i] (do (task (str i) FORM) a)) 0 (range 100000))",
    "(task \"a\" FORM)",
    "(println FORM)",
    "(reduce (fn [m _] (assoc m FORM 1)) {} (range 100000))",
    "(let [m {FORM 1}] (reduce (fn [_ _] (do (get m FORM) nil)) nil (range 100000)))",
    "(reduce (fn [a _] (into a FORM)) [] (range 100000))",
    "(reduce (fn [a _] [a FORM]) [] (range 10000))",
    "(str FORM)",
    "(= FORM FORM)",
    "(compare FORM FORM)",
    "[FORM FORM]",
    "(let [{:keys [a b] :as m} FORM] [a m])",
    "(for [x FORM] [x x])",
};
constexpr std::string_view kIntegers[] = {"0", "-1", "63", "65535", "1000000", "9223372036854775807", "1e300"};

struct Form {
  std::size_t from = 0, to = 0;
};

bool is_atom_byte(char c) {
  constexpr std::string_view kNoAtom = "()[]{}\"`,;";
  return !std::isspace(static_cast<unsigned char>(c)) && kNoAtom.find(c) == std::string_view::npos;
}

// Returns every form of the text, atoms included. A text that is not well formed gives the forms that are closed.
std::vector<Form> forms_of(std::string_view text) {
  std::vector<Form> out;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const std::size_t from = at;
    if (c == ';') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      if (from > 0 && text[from - 1] == '#') continue;   // a pattern is an atom with its #
      out.push_back({from, std::min(at + 1, text.size())});
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(at);
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) break;
      out.push_back({open.back(), at + 1});
      open.pop_back();
    } else if (is_atom_byte(c) && c != '#') {
      while (at + 1 < text.size() && is_atom_byte(text[at + 1])) ++at;
      out.push_back({from, at + 1});
    }
  }
  return out;
}

std::string_view text_of(std::string_view program, Form form) { return program.substr(form.from, form.to - form.from); }

std::string with(std::string_view program, Form form, std::string_view text) {
  std::string out(program.substr(0, form.from));
  return out.append(text).append(program.substr(form.to));
}

std::string wrapped(std::string_view form, Random& random) {
  std::string out(random.pick(kWrapped));
  for (std::size_t at = out.find("FORM"); at != std::string::npos; at = out.find("FORM", at + form.size())) {
    out.replace(at, 4, form);
  }
  return out;
}

std::string_view visible_builtin(Random& random) {
  for (;;) {
    const BuiltinInfo& info = random.pick(kBuiltins);
    if (info.category != BuiltinCategory::Hidden) return info.name;
  }
}

std::string changed_once(std::string_view program, std::string_view other, Random& random) {
  const std::vector<Form> forms = forms_of(program);
  if (forms.empty()) return costly_call(random);
  const Form form = random.pick(forms);
  switch (random.below(8)) {
    case 0: {
      const std::vector<Form> given = forms_of(other);
      return given.empty() ? std::string(program) : with(program, form, text_of(other, random.pick(given)));
    }
    case 1: return with(program, form, random.pick(kLarge));
    case 2: return with(program, form, wrapped(text_of(program, form), random));
    case 3: return wrapped(program, random);
    case 4: return with(program, form, visible_builtin(random));
    case 5: return with(program, form, random.pick(kIntegers));
    case 6: return with(program, form, costly_call(random));
    default: return with(program, form, random.pick(kSmall));
  }
}

}  // namespace

std::string costly_call(Random& random) {
  for (;;) {
    const BuiltinInfo& info = random.pick(kBuiltins);
    if (info.category == BuiltinCategory::Hidden) continue;
    const int most = info.max_args == kVariadic ? info.min_args + 2 : info.max_args;
    const int count = random.between(info.min_args, most);
    std::string call = "(" + std::string(info.name), names;
    for (int i = 0; i < count; ++i) {
      if (random.chance(50)) {
        const std::string name = "v" + std::to_string(i);
        names += name + " " + std::string(random.pick(kLarge)) + " ";
        call += " " + name;
      } else {
        call += " " + std::string(random.pick(kSmall));
      }
    }
    call += ")";
    if (random.chance(80)) call = wrapped(call, random);
    return names.empty() ? call : "(let [" + names + "] " + call + ")";
  }
}

std::string mutated_forms(std::string_view program, std::string_view other, Random& random) {
  std::string out(program);
  for (int changes = random.between(1, 3); changes > 0; --changes) out = changed_once(out, other, random);
  return out.size() > kMostProgramBytes ? std::string(program) : out;
}

}  // namespace ptc::test
