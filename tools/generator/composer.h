// Composes one program. Every function gives the text of one form of the wanted type; the files group them by topic.
//
// Sizes are kept small by two numbers: `budget_` counts the expressions that may still be made, and `place_.repeats`
// estimates how often the form that is being written will run.
//
// Hazard: the order in which C++ evaluates operands of + and arguments of calls is open, and most pieces of text draw
// random numbers. Such pieces are put together with form({…}), vector({…}) and braces({…}) only: braced lists go from
// left to right.
#pragma once
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/generator/generator.h"
#include "tools/generator/random.h"
#include "tools/generator/rule.h"
#include "tools/generator/types.h"
#include "tools/generator/vocabulary.h"

namespace ptc::generator {

using Text = std::string;

Text form(std::initializer_list<Text> parts);       // (a b c)
Text vector(std::initializer_list<Text> parts);     // [a b c]
Text braces(std::initializer_list<Text> parts);     // {a b c d}
Text laid_out(std::string_view form);               // over several lines where it is long
Text joined(std::span<const Text> parts, std::string_view open, std::string_view close);

struct RecordField {
  std::string_view name;
  TypeRef type;
};

struct Variable {
  Text name;
  TypeRef type;
  unsigned cost = 1;               // Function: about how many expressions one call runs
  unsigned tool_calls = 0;         // Function: how many calls of tools one call makes
};

// The place of the form that is being written.
struct Place {
  unsigned repeats = 1;            // about how often it runs
  bool in_branch = false;          // of pmap or pcalls
  bool in_short_function = false;  // #(…)
  bool in_function = false;        // runs as often as somebody calls it
  // Expressions that together are different each time: what makes the ids of tasks unique, if known.
  std::optional<std::vector<Text>> indexes = std::vector<Text>();
};

struct Tool {
  Text name;
  ToolMode mode;
  TypeRef result;
  unsigned domain;                 // arguments 0 … domain - 1
  bool named;                      // takes :who, a name, instead of :k, a number
  bool shaky;                      // some arguments fail
};

class Composer {
 public:
  // The vocabulary must outlive the composer.
  Composer(const GeneratorOptions& options, Vocabulary& vocabulary);
  GeneratedProgram compose();

 private:
  using Production = Text (Composer::*)(TypeRef, unsigned);

  // Puts place and scope back when a form is complete.
  class Inside {
   public:
    explicit Inside(Composer& composer)
        : composer_(composer), place_(composer.place_), variables_(composer.variables_.size()) {}
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      composer_.place_ = place_;
      composer_.variables_.resize(variables_);
    }

   private:
    Composer& composer_;
    Place place_;
    std::size_t variables_;
  };

  // expressions.cpp: any type
  Text expression(TypeRef type, unsigned depth);
  Text produce(std::span<const Production> productions, TypeRef type, unsigned depth);
  Text leaf(TypeRef type);
  Text fresh_name(std::string_view stem);
  Text own_form(TypeRef type, unsigned depth);         // a form that only this kind of type has
  std::optional<Text> variable_of(TypeRef type);
  std::vector<const Variable*> visible(TypeRef type) const;
  TypeRef any_scalar();
  TypeRef any_data(unsigned depth);
  std::span<const RecordField> record_fields() const { return record_fields_; }
  bool in_clojure() const { return options_.subset == Subset::Clojure; }
  // Whether what is written may run over and over: then no value may grow with every turn.
  bool growing() const { return place_.repeats > 1 || place_.in_function; }
  Text bounded(TypeRef type, Text text);               // has the same type; is small when growing()

  // literals.cpp
  Text literal(TypeRef type, unsigned depth, bool as_data = false);
  Text integer();
  Text keyword();
  Text quoted_word();
  std::vector<Text> different_keys(Kind kind, unsigned count);

  // rule_filling.cpp: what the tables say
  bool allowed(const Rule& rule) const;
  TypeRef named_type(std::string_view name) const;
  bool matches(std::string_view& pattern, TypeRef type, OpenTypes& open) const;
  bool matches_function(std::string_view pattern, std::span<const TypeRef> from, TypeRef to, OpenTypes& open) const;
  TypeRef type_of(std::string_view& pattern, OpenTypes& open);
  Kind map_kind(OpenTypes& open);
  Text filled_function(std::string_view& text, OpenTypes& open, unsigned depth);
  Text filled_hole(std::string_view& text, OpenTypes& open, unsigned depth);
  std::optional<Text> literal_hole(std::string_view word, OpenTypes& open, unsigned depth);
  Text filled(const Rule& rule, OpenTypes open, unsigned depth);
  const std::vector<FittingRule>& rules_for(TypeRef type, bool general);
  Text ruled(TypeRef type, unsigned depth, bool general);
  Text ruled_generally(TypeRef, unsigned depth);
  const std::vector<FittingRule>& functions_for(std::span<const TypeRef> from, TypeRef to, bool plain);
  std::optional<Text> ruled_function(std::span<const TypeRef> from, TypeRef to, unsigned depth, bool plain);

  // collections.cpp
  Text vector_literal(TypeRef, unsigned depth);
  Text mapped_by_number(TypeRef, unsigned depth);
  Text mapped_with_index(TypeRef, unsigned depth);
  Text mapped_over_map(TypeRef, unsigned depth);
  Text ordered_by_comparator(TypeRef, unsigned depth);
  Text comprehension(TypeRef, unsigned depth);
  Text map_literal(TypeRef, unsigned depth);
  Text map_of_pairs(TypeRef, unsigned depth);
  Text record_literal(TypeRef, unsigned depth);
  Text key_expression(Kind map_kind, unsigned depth);
  Text as_vector(Text text) const;                     // what is a sequence in Clojure

  // functions.cpp
  // For a higher-order function to call; indexed: each time with another argument.
  Text function_of(TypeRef from, TypeRef to, unsigned depth, bool indexed = false);
  Text function_expression(TypeRef, unsigned depth);
  Text written_function(TypeRef from, TypeRef to, unsigned depth, bool indexed);
  Text reducer(TypeRef accumulator, TypeRef element, unsigned depth);
  Text function_with(std::span<const TypeRef> from, TypeRef to, unsigned depth);
  Text predicate(TypeRef from, unsigned depth);
  bool can_repeat() const { return place_.repeats * kElements <= kMaxRepeats; }
  bool can_call(const Variable& function) const;
  void count_call(const Variable& function);
  Text body_of_definition(const Text& parameter, TypeRef from, TypeRef to, unsigned depth, Variable& measured);

  // control.cpp, destructuring.cpp: forms that give any type
  Text conditional(TypeRef, unsigned depth);
  Text chosen(TypeRef, unsigned depth);
  Text bound(TypeRef, unsigned depth);
  Text taken_apart(TypeRef, unsigned depth);
  Text looped(TypeRef, unsigned depth);
  Text recursive(TypeRef, unsigned depth);
  Text reduced(TypeRef, unsigned depth);
  Text called(TypeRef, unsigned depth);
  Text found(TypeRef, unsigned depth);
  Text threaded(TypeRef, unsigned depth);
  Text noted(TypeRef, unsigned depth);

  // waiting.cpp: tools, tasks, branches, await
  Text from_tool(TypeRef, unsigned depth);
  Text awaited(TypeRef, unsigned depth);
  Text awaited_together(TypeRef, unsigned depth);
  Text settled(TypeRef, unsigned depth);
  Text first_of_equals(TypeRef, unsigned depth);
  Text committed(TypeRef, unsigned depth);
  Text in_branches(TypeRef, unsigned depth);
  Text asked_for_again(TypeRef, unsigned depth);
  Text after_sleep(TypeRef, unsigned depth);
  Text signalled(TypeRef, unsigned depth);
  Text handle(TypeRef handle_type, unsigned depth);
  Text handles(TypeRef collection_of_handles, unsigned depth);
  Text tool_call(const Tool& tool, unsigned depth);
  Text tool_call_with(const Tool& tool, const Text& number, unsigned style);
  bool has_tool(TypeRef result, ToolMode mode) const;
  Tool tool_for(TypeRef result, ToolMode mode, bool shaky);
  void record_answers(const Tool& tool);
  bool can_call_tool() const;
  void count_tool_call(unsigned calls = 1);
  Text task_id(TypeRef body);
  bool can_commit() const { return place_.indexes.has_value(); }

  // program.cpp
  int part_of_size(unsigned divisor) const;
  void statements(std::vector<Text>& out);
  Text statement(unsigned depth);
  Text global_definition();
  Text function_definition();
  Text tagged_function();
  Text repetition(unsigned depth);
  Text printing(unsigned depth);
  Text step_done();
  Text task_reset();
  Text counting_global();
  Text final_form();
  Text failing_form();

  static constexpr unsigned kElements = 5;         // that a collection has, about
  static constexpr unsigned kMaxRepeats = 150;
  static constexpr unsigned kMaxToolCalls = 250;
  static constexpr unsigned kMaxCost = 4'000;      // a function costs at most so much

  GeneratorOptions options_;
  Random random_;
  Vocabulary& vocabulary_;
  TypeTable& types_;
  TypeRef int_, float_, string_, keyword_, bool_, record_, int_set_;
  std::array<RecordField, 5> record_fields_;
  Place place_;
  std::vector<Variable> variables_;                // innermost last
  std::vector<Variable> tagged_functions_;         // take a text that makes their tasks' ids unique
  std::vector<Tool> tools_;
  int budget_ = 0;
  unsigned names_ = 0, tasks_ = 0;
  unsigned cost_ = 0, tool_calls_ = 0;             // one run of what is written: the program, or a definition
  std::map<Text, Text> journal_;
  GeneratedProgram program_;
};

}  // namespace ptc::generator
