#include "tools/generator/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "runtime/engine/engine.h"
#include "schema/builtin_id.h"
#include "schema/special_form.h"
#include "tools/generator/random.h"
#include "tools/ptcvm/batch/batch_request.h"

namespace ptc::generator {
namespace {

#ifdef PTC_SANITIZED
constexpr unsigned kSlowness = 4;   // all of the programs run without sanitizers
#else
constexpr unsigned kSlowness = 1;
#endif

GeneratedProgram program_of(std::uint64_t seed, bool async_tools = true, unsigned failing_percent = 5) {
  GeneratorOptions options;
  options.seed = seed;
  options.async_tools = async_tools;
  options.failing_percent = failing_percent;
  return generate_program(options);
}

// "" when it compiles.
std::string static_error(const Engine& engine, const GeneratedProgram& program) {
  std::vector<std::string_view> names, sync_names;
  for (const GeneratedTool& tool : program.tools) {
    names.push_back(tool.name);
    if (tool.mode == ToolMode::Sync) sync_names.push_back(tool.name);
  }
  CompileRequest request;
  request.source = program.source;
  request.tool_names = names;
  request.sync_tool_names = sync_names;
  request.check_tools = true;
  const CompileAnswer answer = engine.compile(request);
  return answer.program != nullptr ? "" : answer.error.message;
}

boost::json::object answer_of(const ptcvm::Engine& engine, const GeneratedProgram& program,
                              std::string_view order = "fifo") {
  boost::json::object request = boost::json::parse(batch_request_line(program, "1")).as_object();
  request["resolve_order"] = order;
  return boost::json::parse(ptcvm::cli::answer_request(engine, boost::json::serialize(request))).as_object();
}

bool ends_well(const boost::json::object& answer) {
  return answer.at("status") == "ok" || answer.at("status") == "return";
}

// The spelling of random numbers and programs is fixed: other tests name programs by their seeds.
TEST(Random, GivesTheNumbersOfSplitmix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
}

TEST(ProgramGenerator, SameSeedGivesSameRequest) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(batch_request_line(program_of(seed), "x"), batch_request_line(program_of(seed), "x"));
  }
}

TEST(ProgramGenerator, SeedsGiveDifferentPrograms) {
  std::set<std::string> sources;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) sources.insert(program_of(seed).source);
  EXPECT_EQ(sources.size(), 200u);
}

TEST(ProgramGenerator, ProgramsHaveNoStaticErrors) {
  const Engine engine;
  for (std::uint64_t seed = 1; seed <= 2'000 / kSlowness; ++seed) {
    const GeneratedProgram program = program_of(seed);
    EXPECT_EQ(static_error(engine, program), "") << "seed " << seed << '\n' << program.source;
  }
}

// Every name that the tables let a program use: builtins, special forms and macros.
std::set<std::string, std::less<>> names_of_the_language() {
  std::set<std::string, std::less<>> names;
  for (const BuiltinInfo& info : kBuiltins) {
    if (info.category != BuiltinCategory::Hidden) names.emplace(info.name);
  }
  for (const SpecialFormInfo& info : kSpecialForms) {
    if (info.category == FormCategory::Special || info.category == FormCategory::Macro) names.emplace(info.name);
  }
  return names;
}

// Takes the names that the source mentions out of the set. A string is no mention, a prefix makes no other name.
void strike_out(std::string_view source, std::set<std::string, std::less<>>& names) {
  static constexpr std::string_view kEnds = " \n()[]{}\"";
  bool in_string = false;
  while (!source.empty()) {
    const std::size_t size = std::min(source.find_first_of(kEnds), source.size());
    std::string_view word = in_string ? std::string_view() : source.substr(0, size);
    for (const std::string_view prefix : {"clojure.string/", "clojure.set/", "clojure.walk/"}) {
      if (word.starts_with(prefix) && !names.contains(word)) word.remove_prefix(prefix.size());
    }
    if (const auto found = names.find(word); found != names.end()) names.erase(found);
    if (size == source.size()) break;
    in_string ^= source[size] == '"';
    source.remove_prefix(size + 1);
  }
}

// None is excepted. A new builtin needs a line in one of tools/generator/rules_*.cpp.
TEST(ProgramGenerator, EveryBuiltinAndFormOfTheTablesIsUsed) {
  auto names = names_of_the_language();
  ASSERT_GT(names.size(), 300u);
  for (std::uint64_t seed = 1; seed <= 5'000 && !names.empty(); ++seed) strike_out(program_of(seed).source, names);
  for (const std::string& name : names) ADD_FAILURE() << name << " is in no program";
}

TEST(ProgramGenerator, EverySpellingThatMattersOccurs) {
  std::map<std::string_view, unsigned> seen{
      {"(await ", 0},    {"map await", 0}, {"(tool/ask_", 0}, {"(tool/find_", 0},      {"(tool/get_", 0},
      {":timeout-ms", 0}, {":default", 0},  {":or", 0},        {":keys", 0},            {"#(", 0},
      {"& more", 0},     {" :when ", 0},   {" :while ", 0},   {" :let ", 0},           {"data/", 0},
      {"#\"", 0},        {":asc", 0},      {":desc", 0},      {"java.time.Instant", 0}, {"#_", 0}};
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const std::string source = program_of(seed).source;
    for (auto& [form, count] : seen) count += source.find(form) != std::string::npos ? 1 : 0;
  }
  for (const auto& [form, count] : seen) EXPECT_GE(count, 5u) << form;
}

TEST(ProgramGenerator, SizeIsAboutTheNumberOfForms) {
  const auto forms_of = [](unsigned size) {
    std::size_t forms = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      GeneratorOptions options;
      options.seed = seed;
      options.size = size;
      const std::string source = generate_program(options).source;
      forms += static_cast<std::size_t>(std::count(source.begin(), source.end(), '('));
    }
    return forms;
  };
  const std::size_t small = forms_of(40), middle = forms_of(160), large = forms_of(640);
  EXPECT_GT(middle, small * 2);
  EXPECT_GT(large, middle * 2);
}

TEST(ProgramGenerator, FewProgramsFailUnlessAskedTo) {
  const ptcvm::Engine engine;
  unsigned failed = 0;
  constexpr unsigned kPrograms = 1'000 / kSlowness;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    failed += ends_well(answer_of(engine, generate_program(options))) ? 0 : 1;
  }
  EXPECT_LT(failed, kPrograms / 50);
}

// The text above a program says what its tools answer.
TEST(ProgramGenerator, TextOfAProgramBeginsWithTheAnswersOfItsTools) {
  GeneratedProgram program;
  program.source = "(tool/a {:k 0})\n";
  program.tools = {{"a", ToolMode::Async}, {"b", ToolMode::Sync}};
  program.answers = {{"a", "{\"k\" 0}", "5", std::nullopt}, {"b", "{}", "", "no"}};
  program.journal_edn = "{}";
  EXPECT_EQ(program_text(program),
            ";; async-tool a {\"k\" 0} => 5\n;; tool b {} =! \"no\"\n;; journal-in {}\n(tool/a {:k 0})\n");
}

TEST(ProgramGenerator, TheTextOfAProgramIsReadBack) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::string text = program_text(program_of(seed));
    const GeneratedProgram read = program_of_text(text);
    EXPECT_EQ(read.source, program_of(seed).source);
    EXPECT_EQ(program_text(read), text);
  }
  for (const char* text : {"", "(+ 1 2)", ";; tool\n1", ";; tool a {} 5\n1\n", ";; tool a [] => 5\n1\n",
                           "1\n;; tool a {} => 5\n", ";; tool a {} =! \"\n1", ";; a program\n1\n"}) {
    EXPECT_EQ(program_of_text(text).source, text);
    EXPECT_TRUE(program_of_text(text).tools.empty());
  }
}

// No tools, no tasks, nothing that Clojure does not have.
TEST(ProgramGenerator, SubsetOfClojureNeedsNoHost) {
  const ptcvm::Engine engine;
  auto names = names_of_the_language();
  for (std::uint64_t seed = 1; seed <= 1'000 / kSlowness; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    options.subset = Subset::Clojure;
    const GeneratedProgram program = generate_program(options);
    EXPECT_TRUE(program.tools.empty());
    EXPECT_TRUE(ends_well(answer_of(engine, program))) << "seed " << seed << '\n' << program.source;
    strike_out(program.source, names);
  }
  for (const std::string_view ours : {"task", "return", "fail", "await", "sum", "where", "pluck", "sqrt", "upcase"}) {
    EXPECT_TRUE(names.contains(ours)) << ours;
  }
}

TEST(ProgramGenerator, EachToolAnswersEachOfItsArgumentsOnce) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const GeneratedProgram program = program_of(seed);
    std::set<std::string> calls, names;
    for (const GeneratedTool& tool : program.tools) EXPECT_TRUE(names.insert(tool.name).second);
    for (const GeneratedAnswer& answer : program.answers) {
      EXPECT_TRUE(names.contains(answer.tool));
      EXPECT_TRUE(calls.insert(answer.tool + answer.args_edn).second);
    }
  }
}

// All that are not to fail end well, and nothing depends on the order in which operations are resolved.
void expect_good_ends(std::uint64_t first_seed, unsigned count, bool async_tools) {
  const ptcvm::Engine engine;
  unsigned good = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    const GeneratedProgram program = program_of(seed, async_tools);
    boost::json::object answer = answer_of(engine, program);
    EXPECT_EQ(ends_well(answer), !program.fails_on_purpose)
        << "seed " << seed << ' ' << answer.at("message") << '\n' << program.source;
    EXPECT_LT(answer.at("fuel").to_number<std::uint64_t>(), 1'000'000u);
    good += ends_well(answer) ? 1 : 0;
    if (!async_tools) continue;
    boost::json::object other = answer_of(engine, program, "lifo");
    answer.erase("pending");       // what still waits is listed with the time since when
    other.erase("pending");
    EXPECT_EQ(answer, other) << "seed " << seed << '\n' << program.source;
  }
  EXPECT_GE(good, count * 9 / 10);
}

TEST(ProgramGenerator, SynchronousProgramsEndWellUnlessTheyFailOnPurpose) {
  expect_good_ends(1, 500 / kSlowness, false);
}
TEST(ProgramGenerator, ProgramsEndWellUnlessTheyFailOnPurposeInAnyOrder) {
  expect_good_ends(10'001, 1'000 / kSlowness, true);
}

TEST(ProgramGenerator, NoneFailsWhenNoneIsToFail) {
  const ptcvm::Engine engine;
  for (std::uint64_t seed = 5'001; seed <= 5'200; ++seed) {
    const GeneratedProgram program = program_of(seed, false, 0);
    EXPECT_TRUE(ends_well(answer_of(engine, program))) << "seed " << seed << '\n' << program.source;
  }
}

}  // namespace
}  // namespace ptc::generator
