// The progress of a task on standard error: in a terminal a checklist that is drawn again, else a line for each thing
// that has begun or ended.
#pragma once
#include <boost/json/array.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptcvm::cli {

// Something that has happened in a task.
struct ChainMoment {
  enum class Kind : std::uint8_t { Asked, Begun, Ended, Failed };   // a model is asked; a step
  Kind kind{};
  std::string step, what;                          // the id of the step, or ""; its tool, or who is asked for what
  std::optional<std::chrono::microseconds> took = {};
};

class ChainChecklist {
 public:
  // `rows` is how many lines the terminal has; 0: there is no terminal, and lines are written.
  explicit ChainChecklist(std::size_t rows) : rows_(rows) {}

  bool is_live() const { return rows_ != 0; }
  // Takes the steps of a plan, as planners write them. Steps that are known keep their state.
  void plan(const boost::json::array& steps);
  void tell(const ChainMoment& moment);
  // Shows how long the steps are at work, a few times in a second.
  void tick();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t { Open, AtWork, Done, Failed };
  struct Row {
    std::string what;
    State state = State::Open;
    Clock::time_point begun;
    std::optional<std::chrono::microseconds> took;
  };
  std::string line_of(const std::string& step, const Row& row) const;
  void draw();

  const std::size_t rows_;
  std::vector<std::string> order_;       // ids, in the order of the newest plan
  std::map<std::string, Row> row_of_;
  std::string asked_;                    // which model is asked for what, or ""
  std::size_t drawn_ = 0;                // lines on the screen that are drawn again
  Clock::time_point drawn_at_;
};

}  // namespace ptcvm::cli
