#include "agents/a2a/request_id.h"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace ptcvm::a2a {
namespace {

TEST(RequestId, IsTheMemberOfTheTop) {
  EXPECT_EQ(request_id_text(R"({"params": {"id": 1, "a": ["id"]}, "m": "\"id\": 2", "\u0069d" : 3.5 })"), "3.5");
  EXPECT_EQ(request_id_text(R"({"x":[{"id":1}],"id":7})"), "7");
  EXPECT_EQ(request_id_text(R"({"method": "id"})"), "");
}

TEST(RequestId, IsKept) {
  for (const auto& [text, number] : {std::pair{"0", 0.0}, {"-7", -7}, {"9007199254740992", 0x1p53}, {"1.50", 1.5},
                                     {"0.1", 0.1}, {"1e3", 1000}, {"1E+300", 1e300}, {"12.5e-3", 0.0125},
                                     {"0.0e99", 0}, {"1152921504606846976", 0x1p60}}) {
    const auto kept = kept_number(text);
    ASSERT_TRUE(kept) << text;
    EXPECT_EQ(kept->to_number<double>(), number) << text;
  }
}

TEST(RequestId, IsRefusedWhenAFloatHasAnotherNumber) {
  for (const char* const text : {"1e999", "-1e999", "1e-999", "123456789012345678901234567890", "9007199254740993",
                                 "0.12345678901234567890", "9223372036854775807", "1e99999999999999999999"}) {
    EXPECT_FALSE(kept_number(text)) << text;
  }
}

}  // namespace
}  // namespace ptcvm::a2a
