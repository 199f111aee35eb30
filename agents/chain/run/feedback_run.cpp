#include "agents/chain/run/feedback_run.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/chain/plan/step_values.h"
#include "agents/chain/run/driver_program.h"
#include "agents/chain/run/driver_run.h"
#include "agents/chain/run/feedback.h"
#include "agents/chain/text/json_member.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace json = boost::json;

Result<void> FeedbackRun::step(const ChainOutcome& outcome) {
  if (!outcome.wants_feedback || is_over_) return {};
  const std::string id = options_.id + "/feedback";
  if (!run_) {
    auto run = start_driver(engine_, store_, options_, id, "feedback", feedback_source(options_.id));
    if (!run) return std::move(run).error();
    run_ = std::move(*run);
  }
  for (;;) {
    const Result<StoredStep> led_to = run_->step();
    if (!led_to) return led_to.error();
    if (*led_to == StoredStep::Done) break;
    for (const WaitingCall& call : run_->calls()) {
      auto read = read_feedback(member_text(call_args(call), "reply"));
      if (read && options_.clock) read->created_ms = options_.clock();
      const json::value said = read ? json::value(json::serialize(feedback_json(options_.id, *read))) : json::value();
      if (auto answered = run_->answer(call.id, Value::of(said)); !answered) return answered.error();
    }
  }
  const StoredOutcome& ended = run_->outcome();
  if (ended.end == StoredEnd::Suspended) {
    ChainOperation question;
    question.kind = OperationKind::Question;
    question.purpose = "feedback";
    question.key = id;
    question.text = "How was it? rating=positive, neutral or negative; comment=…; correction=…";
    question.revision = outcome.revision;
    operations_.add(std::move(question), OperationOwner::Feedback);
    return {};
  }
  boost::system::error_code error;
  json::value said = json::parse(ended.outcome.value.view().as_string().value_or(""), error);
  if (!error && said.is_object()) said_ = std::move(said.get_object());
  is_over_ = true;
  operations_.remove_all(OperationOwner::Feedback);
  return {};
}

}  // namespace ptcvm::chain
