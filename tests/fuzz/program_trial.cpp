#include "fuzz/program_trial.h"

#include <variant>

#include "fuzz/fuzz_target.h"
#include "support/snapshot_drive.h"

namespace ptc::fuzz {

using Loaded = std::variant<std::shared_ptr<const Program>, ProgramError>;

void try_program(std::span<const std::uint8_t> bytes) {
  Loaded loaded = Program::from_bytes(bytes);
  if (const auto* error = std::get_if<ProgramError>(&loaded)) {
    promise(!error->message.empty(), "refused without a reason");
    return;
  }
  auto program = std::get<std::shared_ptr<const Program>>(std::move(loaded));
  const Octets& written = program->encoded().bytes;
  const Loaded again = Program::from_bytes(written);
  if (const auto* error = std::get_if<ProgramError>(&again)) complain("written, and refused: " + error->message);
  promise(std::get<0>(again)->encoded().bytes == written, "written, read, and written otherwise");
  run_program(std::move(program), seed_of(bytes));
}

void run_program(std::shared_ptr<const Program> program, std::uint64_t seed) {
  const RunLimits limits = test::tiny_limits();
  Run run(limits);
  run.enable_journal();
  run.start(std::move(program));
  expect_none(test::drive_run(std::move(run), seed, limits));
}

}  // namespace ptc::fuzz
