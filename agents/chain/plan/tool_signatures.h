// Checks arguments and answers of tools against the signatures of the tools, as runs and agents check them.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/plan/plan.h"
#include "ptcvm/signature.hpp"

namespace ptcvm::chain {

class ToolSignatures {
 public:
  // Reads the signatures; a tool with the signature "" is not checked. invalid_signature: the message names the tool.
  static Result<ToolSignatures> of(const std::vector<ChainTool>& tools);

  // Returns what does not fit in the arguments of a step of a plan, with its path, or "". Arguments that have
  // {"$result": …} in them are not looked at before the call.
  std::string planned_fault(const PlanStep& step) const;
  // Returns the arguments with which a step makes its call, converted where nothing is lost, or why it cannot be made:
  // RESULT_PATH_MISSING or ARGUMENTS_INVALID. `given` is what the program hands over.
  std::variant<boost::json::object, std::string> args_of(const PlanStep& step, const boost::json::object& given) const;
  // Returns why the answer of a tool is no output of a step, or "": OUTPUT_TOO_LARGE or ANSWER_INVALID. What fits is
  // converted where nothing is lost.
  std::string fit_output(std::string_view tool, boost::json::value& answer, std::size_t most_bytes) const;

 private:
  const Signature* find(std::string_view tool) const;
  std::string fit_args(std::string_view tool, boost::json::object& args) const;

  std::map<std::string, Signature, std::less<>> signatures_;
};

// Makes what a person says was the answer of a call what the signature wants. Returns why the person cannot say it, or
// "": as above.
std::string fit_output(const ChainOptions& options, std::string_view tool, boost::json::value& output);

}  // namespace ptcvm::chain
