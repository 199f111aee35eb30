// The errors of archives of tasks, for every database.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "ptcvm/result.hpp"

namespace ptcvm::drivers {

// Returns the error store_failed with this detail. Line feeds at the end of the message leave it.
inline Error archive_error(std::string message, std::string_view detail = "store_io") {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return {Errc::store_failed, "the archive of tasks: " + std::move(message), std::nullopt, detail};
}

}  // namespace ptcvm::drivers
