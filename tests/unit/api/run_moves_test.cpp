#include "ptcvm/run_moves.hpp"

#include <gtest/gtest.h>

#include "ptcvm/stored_run.hpp"

namespace ptcvm {
namespace {

TEST(RunMoves, ACopyTakesNoProgress) {
  const Engine engine;
  Store store = Store::in_memory(), copy = Store::in_memory();
  StoredOptions options;
  options.id = "r";
  ASSERT_TRUE(run_stored(engine, store, Tools(), "(await-signal \"go\")", options));
  ASSERT_TRUE(pull_run(store, copy, "r"));
  const std::string operation = copy.journal("r").value().operations.at(0).id, before = copy.log_json("r").value();
  const auto said = copy.progress("r", operation, Value::of("half"));
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().detail, "run_is_copy");
  EXPECT_EQ(copy.log_json("r").value(), before);
  EXPECT_TRUE(store.progress("r", operation, Value::of("half")));
}

}  // namespace
}  // namespace ptcvm
