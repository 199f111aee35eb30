// Signatures made from a seed: every kind of type, nested a few levels.
#pragma once
#include <random>
#include <string>

#include "runtime/signature/signature.h"

namespace ptc {

class RandomSignature {
 public:
  explicit RandomSignature(std::uint32_t seed) : random_(seed) {}

  Signature make() {
    Signature signature;
    signature.has_params = below(2) == 0;
    if (signature.has_params) signature.params = fields(0);
    signature.result = type(0);
    return signature;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  SignatureType type(int depth) {
    SignatureType made;
    constexpr auto kLast = static_cast<std::uint32_t>(SignatureType::Kind::Record);
    made.kind = static_cast<SignatureType::Kind>(below(depth > 5 ? kLast - 1 : kLast + 1));
    made.optional = below(3) == 0;
    if (made.kind == SignatureType::Kind::List) made.element.push_back(type(depth + 1));
    if (made.kind == SignatureType::Kind::Record) made.fields = fields(depth);
    return made;
  }

  std::vector<SignatureField> fields(int depth) {
    static constexpr std::string_view kNames[] = {"a", "user-id", "_email", "B2", "0"};
    std::vector<SignatureField> made(below(5));
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].name = std::string(kNames[below(5)]) + "x" + std::to_string(i);
      made[i].type = type(depth + 1);
    }
    return made;
  }

  std::mt19937 random_;
};

}  // namespace ptc
