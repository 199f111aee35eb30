// Effect classes: what the table says about them, and what is made of words that it does not have.
#include "schema/effect_class.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

TEST(EffectClass, NamesLeadBackToTheirClasses) {
  for (std::size_t at = 0; at < kEffectClasses.size(); ++at) {
    const auto of = static_cast<EffectClass>(at);
    EXPECT_EQ(find_effect_class(effect_class_name(of)), of);
  }
}

TEST(EffectClass, OnlyWholeNamesAreFound) {
  for (const char* text : {"", "Pure", "pure ", "pur", "sometimes"}) {
    EXPECT_FALSE(find_effect_class(text)) << text;
  }
}

TEST(EffectClass, AWordOfALogThatNobodyKnowsMakesNoCallTwice) {
  for (const char* text : {"", "sometimes", "KEYED"}) {
    EXPECT_EQ(read_effect_class(text), EffectClass::Unsafe) << text;
    EXPECT_FALSE(is_called_again(read_effect_class(text))) << text;
  }
}

TEST(EffectClass, CallsAreRepeatedOnlyWhereThatDoesNoHarm) {
  EXPECT_TRUE(is_called_again(EffectClass::Pure));
  EXPECT_TRUE(is_called_again(EffectClass::Idempotent));
  EXPECT_TRUE(is_called_again(EffectClass::Keyed));
  EXPECT_FALSE(is_called_again(EffectClass::Reconcilable));
  EXPECT_FALSE(is_called_again(EffectClass::Unsafe));
  EXPECT_EQ(effect_info(EffectClass::Reconcilable).in_doubt, InDoubt::AskTool);
  EXPECT_EQ(effect_info(EffectClass::Unsafe).in_doubt, InDoubt::AskPerson);
}

// What has no record is called again whenever the program runs again: that needs a class that allows it.
TEST(EffectClass, WhatIsNotRecordedMayBeCalledAgain) {
  for (std::size_t at = 0; at < kEffectClasses.size(); ++at) {
    const auto of = static_cast<EffectClass>(at);
    EXPECT_TRUE(is_recorded(of) || is_called_again(of)) << effect_class_name(of);
  }
}

}  // namespace
}  // namespace ptc
