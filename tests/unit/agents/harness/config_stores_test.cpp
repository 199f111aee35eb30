// Forms of planners: any number is a value of a field, and what does not fit is an error of the field.
#include "agents/harness/setup/config_stores.h"

#include <gtest/gtest.h>

namespace ptcvm::harness {
namespace {

TEST(DrafterConfigStore, TakesAnyNumberAndSaysWhatDoesNotFit) {
  DrafterConfigStore store({{"targetWords", 1e300}});
  EXPECT_FALSE(store.snapshot().can_save);
  for (const double words : {1.5, 1e300, -1e300, 1001.0}) {
    EXPECT_TRUE(store.set_field("targetWords", words, 0)) << words;
    EXPECT_FALSE(store.snapshot().can_save) << words;
  }
  EXPECT_TRUE(store.set_field("targetWords", 50, 0));
  EXPECT_TRUE(store.snapshot().can_save);
}

}  // namespace
}  // namespace ptcvm::harness
