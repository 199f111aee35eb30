// Names the members of the state for the JSON face of the document.
#pragma once
#include <boost/describe.hpp>

#include "agent_state_generated.h"

namespace ptcvm::loop::state {

BOOST_DESCRIBE_STRUCT(UsageT, (),
                      (turns, model_calls, tool_calls, fuel, input, cached, cache_written, output, reasoning, money,
                       unpriced))
BOOST_DESCRIBE_STRUCT(LimitsT, (),
                      (max_turns, retry_turns, turns, model_calls, tool_calls, tokens, depth, fan_out, transcript_bytes,
                       program_bytes, deadline_ms, money, observation_bytes))
BOOST_DESCRIBE_STRUCT(ReplyCallT, (), (id, name, arguments, result, is_error))
BOOST_DESCRIBE_STRUCT(ReplyT, (), (provider, protocol, content, text, calls))
BOOST_DESCRIBE_STRUCT(NamedTextT, (), (name, text))
BOOST_DESCRIBE_STRUCT(TurnT, (),
                      (kind, replies, program, is_repaired, value, feedback, said, definitions, tasks, dropped_tasks,
                       summaries, usage, progress, progress_state, begun))
BOOST_DESCRIBE_STRUCT(OperationT, (), (kind, name, tool, call, key, task, is_pending, is_begun, args, doubts))
BOOST_DESCRIBE_STRUCT(SettledT, (), (name, digest))
BOOST_DESCRIBE_STRUCT(CounterT, (), (name, count))
BOOST_DESCRIBE_STRUCT(GivenUpT, (), (path, model, protocol, is_stream, lost_requests))
BOOST_DESCRIBE_STRUCT(ProgramEndT, (), (kind, feedback, after, result, reason, message))
BOOST_DESCRIBE_STRUCT(NodeT, (),
                      (name, definition, phase, data, limits, usage, reserved_turns, own_reserve, opening_said, turns,
                       current, work_turns, retry_turns, is_closing, is_turn_open, requests, attempt,
                       is_without_opaque, wake_ms, deadline_at_ms, left_turns, staged, summaries, opening_journal,
                       journal, operations, settled, counters, unsafe_effects, native_calls, session, explained_bytes,
                       children, end_reason, end_message, result, is_fallback, is_repaired, held_at, held_question,
                       held_phase, request_change, reserved_money, own_reserve_money, lost_requests, given_up,
                       program_end))
BOOST_DESCRIBE_STRUCT(DocumentT, (), (version, id, time_ms, agent, root, keys_name_run, rules))

}  // namespace ptcvm::loop::state
