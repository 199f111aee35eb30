// Any text as a program: refused with a kind and a place inside of the text, or compiled to bytes that the verifier
// accepts, and run under small limits.
#include <string>

#include "compiler/compile.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/program_trial.h"
#include "schema/fault_kind.h"
#include "vm/builtins/regex.h"
#include "vm/value/calendar.h"

namespace {

constexpr std::string_view kTools[] = {"ask", "call", "now", "later"}, kSyncTools[] = {"now"};

ptc::CompileOptions options_of(ptc::fuzz::Random& random) {
  ptc::CompileOptions options;
  options.tool_names.assign(std::begin(kTools), std::end(kTools));
  options.sync_tool_names.assign(std::begin(kSyncTools), std::end(kSyncTools));
  options.check_tools = random.below(4) == 0;
  options.strict_task_ids = random.below(8) == 0;
  options.optimize = random.below(4) != 0;
  options.max_symbols = 2'000;
  options.check_regex = ptc::regex_check;
  options.check_moment = ptc::is_temporal_text;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  const std::string_view source = ptc::fuzz::text_of(data, size);
  const std::uint64_t seed = ptc::fuzz::seed_of({data, size});
  ptc::fuzz::Random random(seed);
  const ptc::CompileResult compiled = ptc::compile(source, options_of(random));
  if (compiled.program == nullptr) {
    const ptc::SourceSpan& at = compiled.error.span;
    promise(!compiled.error.message.empty() && at.line >= 1 && at.column >= 1, "refused without reason or place");
    promise(at.begin <= at.end && at.end <= source.size(), "refused at a place outside of the text");
    return 0;
  }
  const auto loaded = ptc::Program::from_bytes(ptc::program_bytes(*compiled.program));
  if (const auto* error = std::get_if<ptc::ProgramError>(&loaded)) {
    ptc::fuzz::complain("compiled, and refused: " + error->message);
  }
  if (random.below(4) == 0) ptc::fuzz::run_program(std::get<0>(loaded), seed);
  return 0;
}
