// A signature that a test means to be right.
#pragma once
#include <gtest/gtest.h>

#include "runtime/signature/signature.h"

namespace ptc {

inline Signature parsed(std::string_view text) {
  auto result = parse_signature(text);
  EXPECT_TRUE(std::holds_alternative<Signature>(result)) << text;
  return std::holds_alternative<Signature>(result) ? std::get<Signature>(std::move(result)) : Signature{};
}

}  // namespace ptc
