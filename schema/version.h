// Format versions, alone in this file: a change here is the conscious act of changing what is stored.
#pragma once
#include <cstdint>

namespace ptc {

inline constexpr std::uint16_t kProgramFormat = 1;
inline constexpr std::uint16_t kSnapshotFormat = 3;
inline constexpr std::uint16_t kSnapshotOldestReader = 3;   // readers from this format on understand what we write
inline constexpr std::uint16_t kSnapshotOldestRead = 1;     // older ones are migrated (vm/snapshot/migration.h)
inline constexpr std::uint16_t kSealedFormat = 1;
inline constexpr const char* kEngineVersion = "0.1.0";

}  // namespace ptc
