// Snapshots that were changed on purpose, and what a refusal may cost.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/session.h"
#include "snapshot_generated.h"

namespace ptc::test {

using Octets = std::vector<std::uint8_t>;

class HostileSnapshot : public testing::Test {
 protected:
  // A session with the tools `ask` and `call` (async, both never answer by themselves) and `now` (sync, 1).
  static ToolRegistry tools();

  // The snapshot of a program that waits: after its turn ended in a suspension.
  static Octets suspended(std::string_view source, RunLimits limits = {});
  // The same where the main fiber has run `fuel` units and goes on by itself.
  static Octets interrupted(std::string_view source, std::uint64_t fuel);

  // The parts, with programs as bytes that can be changed.
  static std::unique_ptr<schema::SnapshotT> parts(const Octets& bytes);
  static Octets packed(const schema::SnapshotT& parts);
  static Octets changed(const Octets& bytes, const std::function<void(schema::SnapshotT&)>& change);

  // Its JSON face, in which `old` is replaced once.
  static Octets json_with(const Octets& bytes, const std::string& old, std::string_view now);

  // "" when it was restored, else "error_name: message". Fails the test when the refusal took too long or too much.
  static std::string refusal(std::span<const std::uint8_t> bytes, const SessionRestore& wanted = {},
                             ToolRegistry with = tools());
  static void expect_refused(const Octets& bytes, std::string_view error_name, std::string_view what = "");

  // Restores under small limits and runs to an end, in every mode that the fuzzer knows.
  static void expect_harmless(const Octets& bytes);
};

}  // namespace ptc::test
