// A command line: options, standard input and files. It ends with a documented status, and refuses with a word.
#include "fuzz/command_line_trial.h"
#include "fuzz/fuzz_target.h"

namespace {

using ptc::fuzz::CommandLineInput;
using ptc::fuzz::Octets;
using ptc::fuzz::Random;

std::string changed(const std::string& text, Random& random) {
  const Octets bytes = ptc::test::mutated_bytes(Octets(text.begin(), text.end()), {}, random);
  return {bytes.begin(), bytes.end()};
}

Octets mutant(const Octets& bytes, const Octets& other, Random& random) {
  CommandLineInput input = CommandLineInput::read(ptc::fuzz::text_of(bytes.data(), bytes.size()));
  const CommandLineInput donor = CommandLineInput::read(ptc::fuzz::text_of(other.data(), other.size()));
  switch (random.below(6)) {
    case 0: input.a = changed(random.chance(50) ? donor.a : input.a, random); break;
    case 1: input.b = changed(input.b, random); break;
    case 2: input.standard_input = changed(input.standard_input, random); break;
    default: ptc::fuzz::change_words(input.words, random); break;
  }
  const std::string text = input.text();
  return {text.begin(), text.end()};
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return ptc::fuzz::mutate_with(mutant, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_command_line(ptc::fuzz::text_of(data, size));
  return 0;
}
