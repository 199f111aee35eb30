// What is decided about the outputs of a step, as plan programs hand outputs over and get verdicts back.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "agents/chain/check/verification.h"

namespace ptcvm::chain {

// Returns the outputs in the arguments of chain_verify as one text, with a line end between two of them.
std::string joined_outputs(const boost::json::object& args);

// Returns the answer of chain_verify: {"error" text-or-nil "pending" [criterion …]}, with "verdict" [{"criterion" text
// "passes" true-false-or-nil} …] when a model was asked.
boost::json::value verdict_of(std::string_view step, const Verification& verification, std::string_view output);

// Returns what judged() needs when a model has decided about the pending criteria.
boost::json::object judge_args(const Verification& verification, std::string_view output);
// Returns the answer of chain_verify with the verdict of a model: a list of true and false, as a value or as text. The
// verdict decides only what it names; criteria that it leaves out stay pending.
boost::json::value judged(std::string_view step, const boost::json::object& judge_args,
                          const boost::json::value& reply);

}  // namespace ptcvm::chain
