// Two small planners: a demo that knows a few words, and a drafter that asks a model once.
#pragma once
#include <boost/json/object.hpp>

#include "agents/harness/pass/planner.h"
#include "agents/harness/planners/model_text.h"

namespace ptcvm::harness {

// Answers the last message by the words in it. With the mode "off" it proposes nothing.
class DemoPlanner final : public Planner {
 public:
  explicit DemoPlanner(const boost::json::object& config) : is_off_(text_of(config, "mode") == "off") {}
  PlanOutput plan(PlanContext& context) override;

 private:
  bool is_off_;
};

// Lets a model write the next message, from what was said, what the person whispered and answered, and the state.
class DrafterPlanner final : public Planner {
 public:
  DrafterPlanner(boost::json::object config, AskModel ask, PauseModel pause)
      : config_(std::move(config)), ask_(std::move(ask)), pause_(std::move(pause)) {}
  PlanOutput plan(PlanContext& context) override;

 private:
  std::string prompt(const ConversationView& view) const;
  boost::json::object config_;
  AskModel ask_;
  PauseModel pause_;
};

}  // namespace ptcvm::harness
