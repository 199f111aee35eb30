// Where messages of complain() go.
#pragma once
#include <functional>
#include <string_view>

namespace ptcvm::cli {

// While it lives, messages of complain() go to `take` in the place of standard error, from any thread, one at a time.
class ComplaintsTo {
 public:
  explicit ComplaintsTo(std::function<void(std::string_view message)> take);
  ~ComplaintsTo();
  ComplaintsTo(const ComplaintsTo&) = delete;
  ComplaintsTo& operator=(const ComplaintsTo&) = delete;
};

}  // namespace ptcvm::cli
