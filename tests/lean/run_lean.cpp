// A program that links libptcvm-lean.a and nothing else of the project:
//
//   run_lean run FILE.ptcp       runs bytecode that `ptcvm compile` wrote
//   run_lean source TEXT         asks for what this library cannot do
//   run_lean resume FILE.ptcs    goes on from a snapshot, as if a day had passed
//
// Prints the value or the fault. Exit status 1: a fault; 2: the file was refused.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/clock.h"
#include "runtime/session.h"

namespace {

constexpr std::int64_t kDayMillis = 24 * 3600 * 1000;

std::vector<std::uint8_t> bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int refuse(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 2;
}

int tell(const ptc::Outcome& outcome) {
  if (outcome.status == ptc::OutcomeStatus::Error) {
    std::printf("%s: %s\n", ptc::fault_name(outcome.fault.kind).data(), outcome.fault.message.c_str());
    return 1;
  }
  std::printf("%s\n", outcome.value_edn.c_str());
  return 0;
}

int run_bytes(const ptc::Engine& engine, const char* path) {
  auto loaded = ptc::Program::from_bytes(bytes_of(path));
  if (const auto* error = std::get_if<ptc::ProgramError>(&loaded)) return refuse(error->message);
  ptc::Session session(engine, {});
  return tell(session.turn(std::get<std::shared_ptr<const ptc::Program>>(std::move(loaded))));
}

int resume(const ptc::Engine& engine, const char* path) {
  auto restored = ptc::Session::restore(engine, bytes_of(path), {});
  if (const auto* error = std::get_if<ptc::RestoreError>(&restored)) return refuse(error->message);
  ptc::Session& session = *std::get<std::unique_ptr<ptc::Session>>(restored);
  return tell(session.resume(ptc::system_millis() + kDayMillis));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return refuse("usage: run_lean run FILE | source TEXT | resume FILE");
  const std::string_view wish = argv[1];
  const ptc::Engine engine;
  if (wish == "run") return run_bytes(engine, argv[2]);
  if (wish == "resume") return resume(engine, argv[2]);
  return tell(ptc::Session(engine, {}).turn(argv[2]));
}
