// Answers that could not be written when they came: somebody else had claimed their run already, or the store failed.
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

// Writes the settlements among `refused`: facts of the claim `token` that were not written, because that claim is not
// the newest any more, or because the store failed. A settlement is written only while its call is open with an intent
// of that claim; what was said first about a doubt counts. Returns how many the log has taken. Error: the store failed;
// the call may be made again.
StoreResult<std::size_t> keep_late_answers(FactStore& store, std::string_view run, std::uint64_t token,
                                           std::span<const Fact> refused);

}  // namespace ptc
