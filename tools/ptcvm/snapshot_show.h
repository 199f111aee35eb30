// A snapshot as people read it.
#pragma once
#include <string>
#include <string_view>

#include "vm/snapshot/snapshot.h"

namespace ptcvm::cli {

// now_ms: for "12 s ago"; milliseconds since 1970.
std::string show_snapshot(const ptc::Restored& restored, std::size_t size_bytes, std::int64_t now_ms);

}  // namespace ptcvm::cli
