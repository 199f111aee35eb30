// ptcvm gen.
//
// Programs are made in pieces of consecutive seeds by all processors and written in the order of their seeds
// (ordered_work.h): the bytes do not depend on the number of threads, and memory does not grow with the count.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "tools/generator/generator.h"
#include "tools/ptcvm/batch/request_minimizer.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/ordered_work.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

using ptc::generator::GeneratedProgram;
using ptc::generator::GeneratorOptions;

constexpr std::uint64_t kSeedsPerPiece = 32;

struct GenerateRequest {
  GeneratorOptions options;
  std::uint64_t count = 1;
  std::string subset, folder, shrink, minimize;
  bool requests = false, sync = false, text = false;
  unsigned jobs = 0;
};

struct Piece {
  std::uint64_t seed = 0, count = 0;
};

// What one program becomes: a line for batch, the text of a program, or a file and nothing.
class Output {
 public:
  explicit Output(const GenerateRequest& request)
      : folder_(request.folder), is_lines_(request.requests || request.count > 1) {}

  std::string of(const GeneratedProgram& program, std::uint64_t seed) {
    const std::string name = std::to_string(seed);
    if (folder_.empty()) return is_lines_ ? batch_request_line(program, name) + '\n' : program_text(program);
    std::string message;
    if (!write_file(folder_ + "/seed-" + name + ".ptc", program_text(program), message)) refuse(message);
    return {};
  }
  // The first file that could not be written, or "".
  std::string problem() {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  void refuse(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (problem_.empty()) problem_ = message;
  }

  const std::string folder_;
  const bool is_lines_;
  std::mutex mutex_;
  std::string problem_;
};

std::string make_piece(const GenerateRequest& request, Output& output, const Piece& piece) {
  thread_local ptc::generator::Generator generator;   // its tables serve all pieces of the thread
  GeneratorOptions options = request.options;
  std::string out;
  for (std::uint64_t i = 0; i < piece.count && output.problem().empty(); ++i) {
    options.seed = piece.seed + i;
    out += output.of(generator.program(options), options.seed);
  }
  return out;
}

int shrink_request(const GenerateRequest& request, RequestMinimizer& minimizer, const std::string& line) {
  const auto small = minimizer.minimize(line);
  if (!minimizer.problem().empty()) {
    complain(minimizer.problem());
    return kBadInput;
  }
  if (!small) return kProgramFailed;
  if (!minimizer.note().empty()) complain("note: " + minimizer.note());
  std::cerr << minimizer.candidates() << " candidates, " << line.size() << " bytes became " << small->size()
            << " bytes\n";
  std::string text = request.requests ? *small : readable_request(*small);
  if (!text.ends_with('\n')) text += '\n';
  return write_out(text) ? kSuccess : kBadInput;
}

// Makes the first request that fails small: the one in a file, or of the programs with these seeds.
int minimize(const GenerateRequest& request) {
  const Engine engine;
  RequestMinimizer minimizer(engine, request.minimize, request.text ? CandidateForm::Program : CandidateForm::Line);
  if (!request.shrink.empty()) {
    std::string message;
    auto text = read_file(request.shrink, message);
    if (!text) {
      complain(message);
      return kBadInput;
    }
    const int status = shrink_request(request, minimizer, request_of_file(std::move(*text)));
    if (status == kProgramFailed) complain("the program does not fail: there is nothing to make small");
    return status;
  }
  ptc::generator::Generator generator;
  GeneratorOptions options = request.options;
  for (std::uint64_t i = 0; i < request.count; ++i, ++options.seed) {
    const std::string line = batch_request_line(generator.program(options), std::to_string(options.seed));
    const int status = shrink_request(request, minimizer, line);
    if (status != kProgramFailed) return status;
  }
  complain("none of " + std::to_string(request.count) + " programs fails");
  return kProgramFailed;
}

int generate(GenerateRequest request) {
  if (request.subset == "clojure") request.options.subset = ptc::generator::Subset::Clojure;
  request.options.async_tools = !request.sync;
  if (!request.shrink.empty() || !request.minimize.empty()) return minimize(request);
  std::error_code ignored;
  if (!request.folder.empty()) std::filesystem::create_directories(request.folder, ignored);
  Output output(request);
  const unsigned jobs = request.jobs == 0 ? std::max(std::thread::hardware_concurrency(), 1u) : request.jobs;
  OrderedWork<Piece> work(
      jobs, [&](Piece& piece) { return make_piece(request, output, piece); }, write_out);
  for (std::uint64_t done = 0; done < request.count && output.problem().empty(); done += kSeedsPerPiece) {
    if (!work.put({request.options.seed + done, std::min(kSeedsPerPiece, request.count - done)})) break;
  }
  const bool is_written = work.finish();
  if (output.problem().empty()) return is_written ? kSuccess : kBadInput;
  complain(output.problem());
  return kBadInput;
}

}  // namespace

void add_gen_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("gen", "Print random well-typed programs, the same for a seed on every machine");
  auto request = std::make_shared<GenerateRequest>();
  command->add_option("--seed", request->options.seed, "The seed of the first program; others have the next seeds");
  command->add_option("--size", request->options.size, "About how many expressions a program has");
  command->add_option("--count", request->count, "How many programs; more than one are printed as --requests does");
  command->add_option("--jobs", request->jobs, "Threads that generate; 0: one a processor. The output is the same")
      ->type_name("N");
  command->add_option("--subset", request->subset, "clojure: only what means the same in Clojure; no tools or tasks")
      ->check(CLI::IsMember({"clojure"}));
  command->add_flag("--sync", request->sync, "No asynchronous tools: programs that never wait");
  command->add_option("--failing", request->options.failing_percent, "Percentage of programs that fail on purpose (1)");
  command->add_flag("--requests", request->requests,
                    "One line of JSON a program, for ptcvm batch, with the answers of its tools; its id is the seed");
  command->add_option("-o,--output", request->folder, "A folder, for a file a program: seed-N.ptc");
  command->add_option("--minimize", request->minimize,
                      "A shell command that fails on what is wanted: the first program on which it fails is made small")
      ->type_name("CMD");
  command->add_flag("--text", request->text, "The command of --minimize reads programs, as ptcvm run - does");
  command->add_option("FILE", request->shrink, "The same as --shrink FILE");
  command->add_option("--shrink", request->shrink,
                      "A program or request that fails, instead of random ones; without --minimize it fails when its "
                      "answer changes as it is suspended everywhere")
      ->type_name("FILE");
  command->footer(
      "The text of a program begins with what its tools answer, in comments: `;; tool NAME ARGUMENTS => RESULT`.\n\n"
      "--minimize gives each candidate to the command on its standard input, as a line for ptcvm batch, and keeps\n"
      "what ends with the same status as the first, which is not 0. It prints the smallest. With --text the command\n"
      "gets the program instead of a line. A command that the shell cannot start (status 126 or 127), or that ends in\n"
      "the same way for the program nil, ends ptcvm gen with status 65.\n\n"
      "Examples:\n  ptcvm gen --seed 7 --size 200\n  ptcvm gen --seed 1 --count 1000 | ptcvm batch\n"
      "  ptcvm gen --count 100 --subset clojure -o programs\n"
      "  ptcvm gen --count 1000 --minimize 'ptcvm diff old/ptcvm new/ptcvm'\n"
      "  ptcvm gen failing.jsonl --minimize 'ptcvm diff old/ptcvm new/ptcvm'\n"
      "  ptcvm gen slow.ptc --text --minimize 'timeout 1 ptcvm run - > /dev/null; test $? -ne 124'");
  command->callback([request, &status] { status = generate(*request); });
}

}  // namespace ptcvm::cli
