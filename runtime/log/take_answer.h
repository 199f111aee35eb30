// One line for a call of a store whose error ends the function around it. For .cpp files.
#pragma once
#include <utility>
#include <variant>

#include "runtime/log/fact_store.h"

// Declares `name` with the value of the answer, or returns its error.
#define PTC_TAKE(name, answer)                                                           \
  auto name##_answer = (answer);                                                         \
  if (auto* failed = std::get_if<::ptc::StoreError>(&name##_answer)) return std::move(*failed); \
  auto name = std::get<0>(std::move(name##_answer))
