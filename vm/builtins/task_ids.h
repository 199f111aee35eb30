// Says what a task id takes in the store of the host.
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/builtins/environment.h"

namespace ptc {

// Returns how many bytes a long id takes while a store writes it: in facts and their keys, in the bytes of a fact and
// in the pages of a database. A short one takes none that are worth a question.
inline std::uint64_t bytes_in_store(const Environment& environment, std::string_view id) {
  constexpr std::uint64_t kShortBytes = 4096, kCopies = 16;
  return environment.journal.can_be_written() && id.size() > kShortBytes ? kCopies * id.size() : 0;
}

}  // namespace ptc
