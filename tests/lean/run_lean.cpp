// A program that links libptcvm-lean.a and nothing else of the project:
//
//   run_lean run FILE.ptcp       runs bytecode that `ptcvm compile` wrote
//   run_lean source TEXT         asks for what this library cannot do
//   run_lean resume FILE.ptcs    goes on from a snapshot, as if a day had passed
//
// Prints the value, or the fault. Exit status 1: a fault; 2: refused.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <ptcvm/engine.hpp>
#include <ptcvm/run.hpp>

namespace {

std::string bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int refuse(const ptcvm::Error& error) {
  std::fprintf(stderr, "%s: %s\n", ptcvm::errc_name(error.code), error.message.c_str());
  return 2;
}

int finish(ptcvm::Result<ptcvm::Run> run) {
  if (!run) return refuse(run.error());
  run->step();
  if (const auto fault = run->diagnostic()) {
    std::printf("%s\n", fault->message.c_str());
    return 1;
  }
  std::printf("%s\n", run->result().to_edn().c_str());
  return 0;
}

int start(const ptcvm::Engine& engine, const ptcvm::Result<ptcvm::Program>& program) {
  return program ? finish(ptcvm::Run::start(engine, *program)) : refuse(program.error());
}

int resume(const ptcvm::Engine& engine, const std::string& snapshot) {
  ptcvm::RestoreOptions options;
  const auto tomorrow = std::chrono::system_clock::now() + std::chrono::hours(24);
  options.time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(tomorrow.time_since_epoch()).count();
  return finish(ptcvm::Run::restore(engine, std::as_bytes(std::span(snapshot)), options));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view wish = argv[1];
  const ptcvm::Engine engine;
  if (wish == "source") return start(engine, engine.compile(argv[2]));
  const std::string bytes = bytes_of(argv[2]);
  if (wish == "resume") return resume(engine, bytes);
  return start(engine, engine.load(std::as_bytes(std::span(bytes))));
}
