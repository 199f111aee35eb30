// Links that set up a conversation: the fragment of a URL is a JSON object, as it is or percent-encoded.
//
//   {"transport"?, "agentCardUrl"?, "mcpUrl"?, "llm"?, "planner"?: {"id"?, "mode"?}, "planners"?: {ID: {"seed"}},
//    "roomTitle"?, "rev"?}
//
// A link without a planner or a mode keeps the one that is there; at first the planner is "off".
// Each link that is written has a "rev" that is one higher than the highest one seen. A link with a "rev" that is not
// higher than the one before is old, and changes nothing; a link without "rev" always counts. A "rev" may be at most
// kMostRevStep ahead of the last one: a single link of a high "rev" would make every later link an old one. Keys of
// servers appear in no link. A link comes from anywhere: one that is not well-formed, or has a member that is written
// twice, is of a wrong type or is not known here, or a member of a seed that the planner does not have, or a value that
// its form does not take, is refused as a whole. What it says of planners that it does not choose is left alone.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "agents/harness/sending/outbox.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::harness {

// The most bytes that a link may have.
inline constexpr std::size_t kMostLinkBytes = 65'536;

// How far the "rev" of a link from elsewhere may be ahead of the highest one seen or written. No conversation is set up
// so often.
inline constexpr std::uint64_t kMostRevStep = 1'000'000;

// Says where a link comes from. The journal may have a link from before a rule for values was there: the configuration
// gets the nearest value. It may have any "rev", too.
enum class LinkSource : std::uint8_t { Anywhere, Journal };

// Reads the fragment of a URL as JSON. Error: invalid_value; too_large.
Result<boost::json::object> read_fragment(std::string_view fragment);

// The planner, its mode and its configuration, and the link that says the same. Belongs to one thread.
class DeepLink {
 public:
  explicit DeepLink(FetchJson fetch) : fetch_(std::move(fetch)) {}

  // Takes a link. Returns false when the link is old. Error: invalid_value; nothing has changed then.
  Result<bool> read(const boost::json::object& link, LinkSource source = LinkSource::Anywhere);
  // Sets the configuration of the planner, and returns the link to write.
  boost::json::object apply(boost::json::object config);
  // Chooses a planner and a mode, and returns the link to write. Error: invalid_value for an unknown planner.
  Result<boost::json::object> choose(std::string_view planner, SendMode mode);

  // Returns the link that was read or written last, as write() writes it and under the same "rev".
  boost::json::object link() const;

  const std::string& planner() const { return planner_; }
  SendMode mode() const { return mode_; }
  // Returns the configuration of the planner that is chosen.
  const FullConfig& config() const;
  std::uint64_t rev() const { return rev_; }            // the highest one seen or written

 private:
  boost::json::object write();

  FetchJson fetch_;
  std::string planner_{kPlannerOff};
  SendMode mode_ = SendMode::Approve;
  std::map<std::string, FullConfig, std::less<>> configs_;
  boost::json::object kept_;                            // members of the link that belong to others
  std::uint64_t rev_ = 0;
};

}  // namespace ptcvm::harness
