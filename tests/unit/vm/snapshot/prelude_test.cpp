// Runs that started with the prelude of an earlier engine.
#include <gtest/gtest.h>

#include <algorithm>

#include "program_generated.h"
#include "runtime/engine/engine.h"
#include "snapshot_generated.h"
#include "support/packed_snapshot.h"
#include "vm/exec/prelude.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* kSource =
    "(let [a (map-indexed (fn [i x] (* i x)) (range 60))] [(reduce + a) (max-key (fn [x] (- x)) 4 3 9)])";

// The prelude of today as an engine of yesterday had it: under another name, perhaps without one of its functions.
std::shared_ptr<const Program> earlier_prelude(std::string_view without = "") {
  const Bytes& bytes = own_prelude()->encoded().bytes;
  const std::unique_ptr<schema::ProgramT> parts(schema::GetProgram(bytes.data())->UnPack());
  parts->engine = "0.0.9";
  for (auto& function : parts->functions) {
    if (function->name == without) function->name = "%gone";
  }
  auto loaded = Program::from_bytes(program_bytes(*parts));
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<const Program>>(loaded));
  return std::get<std::shared_ptr<const Program>>(loaded);
}

class Preludes : public ProgramSource {
 public:
  explicit Preludes(std::shared_ptr<const Program> prelude) : prelude_(std::move(prelude)) {}
  std::shared_ptr<const Program> find(std::span<const std::uint8_t>) override { return nullptr; }
  std::shared_ptr<const Program> find_bytes(std::span<const std::uint8_t>) override { return nullptr; }
  void keep(const std::shared_ptr<const Program>&) override {}
  std::shared_ptr<const Program> find_prelude(std::span<const std::uint8_t> sha256) override {
    const auto& ours = prelude_->encoded().sha256;
    return std::equal(sha256.begin(), sha256.end(), ours.begin(), ours.end()) ? prelude_ : nullptr;
  }

 private:
  std::shared_ptr<const Program> prelude_;
};

// In the middle of map-indexed, as the earlier engine would have written it.
Bytes written_by(const Program& prelude) {
  static const Engine engine;
  CompileRequest request;
  request.source = kSource;
  Run run(RunLimits{});
  run.start(engine.compile(request).program);
  EXPECT_EQ(run.step(100), StepStatus::Yielded);
  const Bytes bytes = write_snapshot(run, {});
  const std::unique_ptr<schema::SnapshotT> parts(schema::GetSnapshot(bytes.data())->UnPack());
  const auto& hash = prelude.encoded().sha256;
  for (auto& program : parts->programs) {
    if (program->prelude) program->sha256.assign(hash.begin(), hash.end());
  }
  return test::packed_snapshot(*parts);
}

Run restored(const Bytes& bytes, Preludes& preludes) {
  RestoreOptions options;
  options.programs = &preludes;
  auto result = restore_snapshot(bytes, options);
  if (const auto* error = std::get_if<RestoreError>(&result)) {
    ADD_FAILURE() << error->message;
    return Run(RunLimits{});
  }
  return std::move(std::get<Restored>(result).run);
}

// Restored after every step.
std::string end_of(const Bytes& bytes, Preludes& preludes, std::size_t preludes_at_the_end) {
  Run run = restored(bytes, preludes);
  std::size_t linked = 0;
  for (;;) {
    if (testing::Test::HasFailure()) return "";
    const StepStatus status = run.step(1);
    if (status != StepStatus::Yielded) {
      EXPECT_EQ(status, StepStatus::Completed) << run.fault().message;
      break;
    }
    const Bytes written = write_snapshot(run, {});
    const auto& programs = *schema::GetSnapshot(written.data())->programs();
    linked = static_cast<std::size_t>(
        std::count_if(programs.begin(), programs.end(), [](const auto* program) { return program->prelude(); }));
    run = restored(written, preludes);
    EXPECT_EQ(write_snapshot(run, {}), written);
  }
  EXPECT_EQ(linked, preludes_at_the_end);
  std::string text;
  append_edn(text, run.result(), run.heap());
  return text;
}

TEST(Prelude, AnEarlierOneIsFoundByItsHashOnly) {
  EXPECT_EQ(find_prelude(own_prelude()->encoded().sha256), own_prelude());
  EXPECT_EQ(find_prelude(earlier_prelude()->encoded().sha256), nullptr);
  EXPECT_EQ(find_prelude({}), nullptr);
}

TEST(Prelude, ARunGoesOnWithTheOneItStartedWith) {
  Preludes preludes(earlier_prelude());
  EXPECT_EQ(end_of(written_by(*earlier_prelude()), preludes, 1), "[70210 3]");
}

TEST(Prelude, WhatAnEarlierOneLacksComesFromTheEnginesOwn) {
  const auto prelude = earlier_prelude("max-key");
  Preludes preludes(prelude);
  EXPECT_EQ(end_of(written_by(*prelude), preludes, 2), "[70210 3]");
}

TEST(Prelude, OneThatNobodyHasIsRefused) {
  const auto result = restore_snapshot(written_by(*earlier_prelude()));
  const auto* error = std::get_if<RestoreError>(&result);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->kind, SnapshotError::UnsupportedVersion);
}

}  // namespace
}  // namespace ptc
