// What programs of a chain hand over as values, and what hosts see as JSON.
//
// A program writes names of arguments with "_" in place of "-", and hands results of earlier steps over as text. The
// functions here put the names and the results of the plan back into place.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ptcvm/run.hpp"

namespace ptcvm::chain {

// Returns the arguments of a call of a program.
boost::json::object call_args(const WaitingCall& call);

// Returns a name of the program as calls have it.
std::string seen_name(std::string name);

// Returns the names under which a program hands over the members of arguments, in their order: the names of the plan,
// and other ones where two names would be one.
std::vector<std::string> program_names(const boost::json::object& args);

// Returns the output of a step as text: a text as it is, nothing for null, JSON for everything else.
std::string output_text(const boost::json::value& output);

// Returns how many bytes output_text() has.
std::size_t output_bytes(const boost::json::value& output);

// Returns the text, cut to `most` bytes with a note that says how long it was.
std::string cut_text(std::string text, std::size_t most);

// Returns the value that a program handed over with (result "step" …): {"json" text "path" […]} or a scalar.
// nullptr in the variant: the result has no such path.
std::variant<boost::json::value, std::nullptr_t> taken_result(const boost::json::value& given);

// Returns the arguments of a call with the names of the plan. nullptr: a result has no such path.
std::variant<boost::json::object, std::nullptr_t> exact_args(const boost::json::object& planned,
                                                             const boost::json::object& given);

// Returns the arguments of a plan with each {"$result" id "path" […]} replaced by the value of that step, or by null.
boost::json::object args_with(const boost::json::object& planned,
                              const std::map<std::string, boost::json::value, std::less<>>& values);

}  // namespace ptcvm::chain
