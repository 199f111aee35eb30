// Answers that came when somebody else had claimed their run already.
//
// What a call has done is true, and it does not matter who executes the run. The answer of a call that may not simply
// be made again goes into the log as an observation from outside, a DoubtSettled of the host. It wakes the run that is
// in doubt about the call, and a run that is opened later never doubts. A call that may be made again is made again:
// its answer is not kept, because the new claim may have got another one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/log/fact_store.h"

namespace ptc {

// Writes the settlements among `refused`, facts that were refused because `token` is not the newest claim of the run.
// A settlement is written only while its call is open with an intent of that claim; what was said first about a doubt
// counts. Returns how many the log has taken.
std::size_t keep_late_answers(FactStore& store, std::string_view run, std::uint64_t token,
                              std::span<const Fact> refused);

}  // namespace ptc
