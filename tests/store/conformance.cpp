#include "tests/store/conformance.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

class StoreTest : public testing::Test {
 public:
  StoreTest(FreshStore fresh, const StoreCase& run) : fresh_(std::move(fresh)), case_(run) {}

  void TestBody() override {
    const std::unique_ptr<FactStore> store = fresh_();
    ASSERT_NE(store, nullptr) << "no fresh store";
    case_.run(*store);
  }

 private:
  FreshStore fresh_;
  StoreCase case_;
};

}  // namespace

bool store_conformance(const std::string& suite, FreshStore fresh) {
  for (const auto cases : {store_write_cases(), store_seen_cases(), store_call_cases(), store_run_cases(),
                           store_value_cases(), store_thread_cases()}) {
    for (const StoreCase& each : cases) {
      testing::RegisterTest(suite.c_str(), each.name, nullptr, nullptr, __FILE__, __LINE__,
                            [fresh, each]() -> testing::Test* { return new StoreTest(fresh, each); });
    }
  }
  return true;
}

}  // namespace ptc
