// Any text as a line of the batch protocol: the answer is one line of JSON with the id of the request. Requests run
// under small limits; hops into other processes are taken out, because a fuzzer is one process.
#include <boost/json.hpp>

#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "tools/ptcvm/batch/batch_request.h"

namespace json = boost::json;

namespace {

constexpr std::size_t kMostAnswer = 4u << 20;

const ptcvm::Engine& engine() {
  static const ptcvm::Engine shared({.cached_programs = 0, .shelved_programs = 0});
  return shared;
}

void make_small(json::object& request) {
  request.erase("hop");
  request["limits"] = {{"fuel", 2'000}, {"memory_bytes", 1u << 20}, {"depth", 100}, {"loop", 200}, {"tool_calls", 10},
                       {"pending", 10}, {"suspensions", 20}};
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return ptc::fuzz::mutate_with(ptc::test::mutated_json_bytes, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  std::string line(ptc::fuzz::text_of(data, size));
  json::error_code error;
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  json::value parsed = json::parse(line, error, {}, options);
  if (!error && parsed.is_object()) {
    make_small(parsed.as_object());
    line = json::serialize(parsed);
  }
  const std::string answer = ptcvm::cli::answer_request(engine(), line);
  promise(answer.find('\n') == std::string::npos && answer.size() < kMostAnswer, "the answer is no line");
  json::error_code bad;
  options.allow_invalid_utf8 = false;
  options.max_depth = 1'000;
  const json::value read = json::parse(answer, bad, {}, options);
  promise(!bad && read.is_object() && read.as_object().contains("id"), "the answer is no object with an id");
  return 0;
}
