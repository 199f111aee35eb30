// Names of doubts about calls: operations by which a person says whether a call happened.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptcvm::loop {

inline constexpr std::string_view kDoubtName = "doubt:";

// Returns the name of a doubt about a call, counted from 1: "doubt:pay", "doubt:pay@2". Since rules 9 a call that did
// not happen, was made and is in doubt again has the next number; before, all doubts about a call have the first name.
std::string doubt_name(std::string_view call, std::uint32_t number);
// Returns the path of the call that a doubt is about: "desk/pay" for "desk/doubt:pay" and "desk/doubt:pay@2"; "" for
// other paths.
std::string doubted_call(std::string_view path);

}  // namespace ptcvm::loop
