// The model of `ptcvm harness`: --model as the other commands have it, asked one question at a time.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "agents/harness/planners/model_text.h"
#include "agents/wire/reply_reader.h"
#include "tools/ptcvm/agent/agent_models.h"

namespace ptcvm::cli {

inline constexpr int kLookMs = 200;   // how long planners wait for an answer before they look at what else has come

// Opens what --model names (agent_models.h). The function may be called by several threads; each question is waited
// for, and asked again at most three times when the server says that it may be. nullopt, with the reason: there is no
// such model.
std::optional<harness::AskModel> ask_model(const std::string& model, std::string& message);

// Returns the request of a question; its path is its key.
loop::Operation question_request(const OpenedModel& model, const harness::ModelQuestion& question,
                                 const std::string& key, std::uint32_t attempt);
wire::Reply read_question_reply(const OpenedModel& model, const loop::ModelReply& reply);
// Returns how long to wait before a question is asked again, or nullopt when it is asked no more.
std::optional<std::int64_t> question_wait_ms(const loop::ModelReply& answer, const wire::Reply& reply,
                                             std::uint32_t attempt);

}  // namespace ptcvm::cli
