// The batch protocol from inside; tests/cli looks at it from outside.
#include "tools/ptcvm/batch_request.h"

#include <gtest/gtest.h>

#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

TEST(BatchRequest, answers_are_utf8_whatever_the_id_is) {
  const ptc::Engine engine;
  for (const std::string_view rest : {"}", ",\"source\":\"1\"}"}) {
    const std::string answer = answer_request(engine, "{\"id\":[\"a\xff\"]" + std::string(rest));
    EXPECT_TRUE(ptc::utf8_is_valid(answer)) << answer;
    EXPECT_TRUE(answer.starts_with("{\"id\":[\"a\xef\xbf\xbd\"]")) << answer;
  }
}

}  // namespace
}  // namespace ptcvm::cli
