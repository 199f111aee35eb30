// What a prompt hears of the programs that it runs.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "tools/ptcvm/trace/trace.h"
#include "tools/ptcvm/trace/trace_show.h"

namespace ptcvm::cli {

// Prints what the program prints, and keeps the first events of a turn for :trace.
class TurnReporter : public RunReporter {
 public:
  TurnReporter() : RunReporter(stdout) {}
  Verdict on_event(const Event& event) override {
    if (lines_.size() < kMostEvents) lines_.push_back(event_json(event));
    return RunReporter::on_event(event);
  }
  void begin_turn() { lines_.clear(); }

  std::string text(bool colour) const {
    std::vector<ptc::TraceEvent> events;
    for (const std::string& line : lines_) {
      auto read = ptc::read_trace_line(line);
      if (auto* event = std::get_if<ptc::TraceEvent>(&read)) events.push_back(std::move(*event));
    }
    std::vector<const ptc::TraceEvent*> shown;
    for (const ptc::TraceEvent& event : events) shown.push_back(&event);
    return shown.empty() ? "nothing has happened yet\n" : show_events(shown, colour);
  }

 private:
  static constexpr std::size_t kMostEvents = 1'000;
  std::vector<std::string> lines_;
};

}   // namespace ptcvm::cli
