// Which forms are the same text in meaning: what the reader of maps and sets calls equal.
//
// Lists and vectors of the same items are the same; the order of map entries and set elements does not matter; numbers
// are equal only within their kind; a regex, a lambda and NaN are equal to nothing else.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>

#include "compiler/read/compile_meter.h"
#include "compiler/read/form.h"

namespace ptc {

class FormIdentity {
 public:
  // The meter counts the tables; null counts nothing.
  explicit FormIdentity(CompileMeter* meter) : meter_(meter) {}

  // Equal forms have equal numbers. Each form is looked at once, however often it is asked for.
  std::uint32_t of(const Form& form);

 private:
  std::string key(const Form& form);
  std::string items_key(const Form& form, std::size_t width, bool ordered);

  CompileMeter* meter_;
  std::unordered_map<const Form*, std::uint32_t> known_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::uint32_t unique_ = 0;
};

}  // namespace ptc
