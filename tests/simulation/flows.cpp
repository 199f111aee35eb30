#include "tests/simulation/flows.h"

#include <algorithm>

namespace ptcvm::simulation {

void Flows::spawn(std::function<void()> body, std::function<std::int64_t()> asleep) {
  Sleeper& made = *sleepers_.emplace_back(std::make_unique<Sleeper>());
  made.flow = std::make_unique<Flow>(std::move(body));
  made.asleep = std::move(asleep);
  put_to_bed(&made, now_ms_);
}

void Flows::sleep(std::int64_t ms) {
  put_to_bed(current_, now_ms_ + ms);
  current_->flow->leave();
}

void Flows::run(const std::function<bool()>& is_over) {
  while (!beds_.empty() && !is_over()) {
    const Bed next = beds_.top();
    beds_.pop();
    now_ms_ = std::max(now_ms_, next.at_ms);
    const std::int64_t until = next.sleeper->asleep ? next.sleeper->asleep() : 0;
    if (until > now_ms_) {
      put_to_bed(next.sleeper, until);
      continue;
    }
    current_ = next.sleeper;
    current_->flow->enter();
    current_ = nullptr;
    if (!next.sleeper->flow->has_ended()) continue;
    std::erase_if(sleepers_, [&next](const auto& sleeper) { return sleeper.get() == next.sleeper; });
  }
}

}  // namespace ptcvm::simulation
