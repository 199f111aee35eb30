// Stacks of branches as text: what is written reads back, and what is no such text gives at most a bounded stack.
#include "vm/exec/guest_stack.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

using Kind = GuestFrame::Kind;

TEST(GuestStack, WhatIsWrittenReadsBack) {
  const GuestStack stack = {{Kind::Function, "a b", 1, {2, 3, 4, 5}}, {Kind::Branch, "7", GuestFrame::kNoLink, {}}};
  const std::string text = guest_stack_text(stack);
  EXPECT_EQ(text, "function 1 2 3 4 5 a b\nbranch 4294967295 0 0 0 0 7\n");
  EXPECT_EQ(guest_stack_text(read_guest_stack(text, 2)), text);
}

TEST(GuestStack, ALinkThatIsNotThereHasNoPlace) {
  const GuestStack read = read_guest_stack("function 2 2 3 4 5 f\n", 2);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].link, GuestFrame::kNoLink);
  EXPECT_EQ(read[0].span.line, 0u);
}

TEST(GuestStack, OtherTextIsNoFrame) {
  for (const char* text : {"", "\n\n", "function", "function 1", "function 1 2 3 4 x", "other 0 0 0 1 1 x",
                           "function -1 0 0 1 1 x",
                           "function 4294967296 0 0 1 1 x", "function 0 0 0 1 1"}) {
    EXPECT_TRUE(read_guest_stack(text, 9).empty()) << text;
  }
}

TEST(GuestStack, ManyLinesAndLongNamesAreBounded) {
  std::string text;
  for (int k = 0; k < 10'000; ++k) text += "function 0 0 0 1 1 " + std::string(1'000, 'x') + "\n";
  const GuestStack read = read_guest_stack(text, 1);
  EXPECT_LE(read.size(), kInnerGuestFrames + 1 + kOuterGuestFrames);
  for (const GuestFrame& frame : read) EXPECT_LE(frame.name.size(), kMostGuestNameBytes + 3);
}

}  // namespace
}  // namespace ptc
