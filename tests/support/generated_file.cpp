#include "support/generated_file.h"

#include "vm/value/print.h"

namespace ptc::test {
namespace {

using generator::GeneratedAnswer, generator::GeneratedTool, generator::ToolMode;

AsyncMode mode_of(ToolMode mode) {
  switch (mode) {
    case ToolMode::Sync: return AsyncMode::No;
    case ToolMode::Async: return AsyncMode::Yes;
    case ToolMode::Auto: return AsyncMode::Auto;
  }
  return AsyncMode::No;
}

RecordedCall recorded(const GeneratedAnswer& answer) {
  RecordedCall call{answer.tool, answer.args_edn, std::nullopt, std::nullopt};
  if (answer.error) {
    append_quoted(call.error_edn.emplace(), *answer.error);
  } else {
    call.result_edn = answer.result_edn;
  }
  return call;
}

}  // namespace

ProgramFile file_of(const generator::GeneratedProgram& program, std::uint64_t seed) {
  constexpr std::uint64_t kFuel = 1'000'000;
  ProgramFile file;
  file.name = "seed " + std::to_string(seed);
  file.source = program.source;
  for (const GeneratedTool& tool : program.tools) file.tools.emplace_back(tool.name, mode_of(tool.mode));
  for (const GeneratedAnswer& answer : program.answers) file.calls.push_back(recorded(answer));
  file.has_journal = program.journal_edn.has_value();
  file.journal_edn = program.journal_edn.value_or("");
  file.options.limits.fuel = kFuel;
  return file;
}

}  // namespace ptc::test
