// ptc_generate: random well-typed programs as requests for `ptcvm batch`, one a line.
//
//   ptc_generate [--seed N] [--count N] [--size N] [--sync]      (--sync: no asynchronous tools)
//   ptc_generate --source --seed N                               the text of one program, for people
//
// Program number i of a run has the seed N + i and carries it as its id, so that any of them can be made again alone.
#include <charconv>
#include <iostream>
#include <string_view>

#include "support/program_generator.h"

namespace {

struct Request {
  ptc::test::GeneratorOptions options;
  std::uint64_t count = 1;
  bool source = false;
};

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_arguments(int argc, char** argv, Request& request) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    std::uint64_t number = 0;
    if (argument == "--sync") {
      request.options.async_tools = false;
    } else if (argument == "--source") {
      request.source = true;
    } else if (i + 1 == argc || !read_number(argv[++i], number)) {
      return false;
    } else if (argument == "--seed") {
      request.options.seed = number;
    } else if (argument == "--count") {
      request.count = number;
    } else if (argument == "--size") {
      request.options.size = static_cast<unsigned>(number);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  if (!read_arguments(argc, argv, request)) {
    std::cerr << "usage: ptc_generate [--seed N] [--count N] [--size N] [--sync] [--source]\n";
    return 2;
  }
  for (std::uint64_t i = 0; i < request.count; ++i, ++request.options.seed) {
    const ptc::test::GeneratedProgram program = ptc::test::generate_program(request.options);
    if (request.source) {
      std::cout << program.source;
    } else {
      std::cout << batch_request_line(program, std::to_string(request.options.seed)) << '\n';
    }
  }
  return std::cout.good() ? 0 : 1;
}
