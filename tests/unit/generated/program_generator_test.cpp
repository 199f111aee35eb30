#include "support/program_generator.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>
#include <set>

#include "runtime/engine.h"
#include "support/generator/random.h"
#include "tools/ptcvm/batch_request.h"

namespace ptc::test {
namespace {

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

boost::json::object answer_of(const Engine& engine, const GeneratedProgram& program, std::string_view order = "fifo") {
  boost::json::object request = boost::json::parse(batch_request_line(program, "1")).as_object();
  request["resolve_order"] = order;
  return boost::json::parse(ptcvm::answer_request(engine, boost::json::serialize(request))).as_object();
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
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const GeneratedProgram program = program_of(seed);
    EXPECT_EQ(static_error(engine, program), "") << "seed " << seed << '\n' << program.source;
  }
}

TEST(ProgramGenerator, EveryFormOfWaitingOccurs) {
  std::map<std::string_view, unsigned> seen{
      {"(await ", 0},     {"(await-all ", 0},  {"(await-any ", 0}, {"(await-settled ", 0}, {"map await", 0},
      {"(pmap ", 0},      {"(pcalls", 0},      {"(tool/ask_", 0},  {"(tool/find_", 0},     {"(task ", 0},
      {"(tool/get_", 0},  {"(return ", 0},     {"(recur", 0},      {"(sort-by ", 0},       {"(doseq", 0},
      {"(update-in ", 0}, {"(step-done ", 0},  {":or", 0},         {"(loop", 0},           {"#(", 0}};
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const std::string source = program_of(seed).source;
    for (auto& [form, count] : seen) count += source.find(form) != std::string::npos ? 1 : 0;
  }
  for (const auto& [form, count] : seen) EXPECT_GE(count, 5u) << form;
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
  const Engine engine;
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

TEST(ProgramGenerator, SynchronousProgramsEndWellUnlessTheyFailOnPurpose) { expect_good_ends(1, 500, false); }
TEST(ProgramGenerator, ProgramsEndWellUnlessTheyFailOnPurposeInAnyOrder) { expect_good_ends(10'001, 1'000, true); }

TEST(ProgramGenerator, NoneFailsWhenNoneIsToFail) {
  const Engine engine;
  for (std::uint64_t seed = 5'001; seed <= 5'200; ++seed) {
    const GeneratedProgram program = program_of(seed, false, 0);
    EXPECT_TRUE(ends_well(answer_of(engine, program))) << "seed " << seed << '\n' << program.source;
  }
}

}  // namespace
}  // namespace ptc::test
