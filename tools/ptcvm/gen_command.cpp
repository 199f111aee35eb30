// ptcvm gen.
#include <filesystem>
#include <iostream>

#include "tools/generator/generator.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

struct GenerateRequest {
  ptc::generator::GeneratorOptions options;
  std::uint64_t count = 1;
  std::string subset, folder;
  bool requests = false, sync = false;
};

int generate(GenerateRequest request) {
  ptc::generator::GeneratorOptions& options = request.options;
  if (request.subset == "clojure") options.subset = ptc::generator::Subset::Clojure;
  options.async_tools = !request.sync;
  std::error_code ignored;
  if (!request.folder.empty()) std::filesystem::create_directories(request.folder, ignored);
  for (std::uint64_t i = 0; i < request.count; ++i, ++options.seed) {
    const ptc::generator::GeneratedProgram program = generate_program(options);
    const std::string seed = std::to_string(options.seed);
    if (!request.folder.empty()) {
      std::string message;
      if (write_file(request.folder + "/seed-" + seed + ".ptc", program_text(program), message)) continue;
      complain(message);
      return kBadInput;
    }
    if (request.requests || request.count > 1) {
      std::cout << batch_request_line(program, seed) << '\n';
    } else {
      std::cout << program_text(program);
    }
  }
  return kSuccess;
}

}  // namespace

void add_gen_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("gen", "Print random well-typed programs, the same for a seed on every machine");
  auto request = std::make_shared<GenerateRequest>();
  command->add_option("--seed", request->options.seed, "The seed of the first program; others have the next seeds");
  command->add_option("--size", request->options.size, "About how many expressions a program has");
  command->add_option("--count", request->count, "How many programs; more than one are printed as --requests does");
  command->add_option("--subset", request->subset, "clojure: only what means the same in Clojure; no tools or tasks")
      ->check(CLI::IsMember({"clojure"}));
  command->add_flag("--sync", request->sync, "No asynchronous tools: programs that never wait");
  command->add_option("--failing", request->options.failing_percent, "Percentage of programs that fail on purpose (1)");
  command->add_flag("--requests", request->requests,
                    "One line of JSON a program, for ptcvm batch, with the answers of its tools; its id is the seed");
  command->add_option("-o,--output", request->folder, "A folder, for a file a program: seed-N.ptc");
  command->footer(
      "The text of a program begins with what its tools answer, in comments: `;; tool NAME ARGUMENTS => RESULT`.\n\n"
      "Examples:\n  ptcvm gen --seed 7 --size 200\n  ptcvm gen --seed 1 --count 1000 | ptcvm batch\n"
      "  ptcvm gen --count 100 --subset clojure -o programs");
  command->callback([request, &status] { status = generate(*request); });
}

}  // namespace ptcvm::cli
