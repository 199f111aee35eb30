#include "tools/ptcvm/chain/chain_checklist.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <iostream>

#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kWidestLine = 78;
constexpr auto kBetweenTicks = std::chrono::milliseconds(200);

std::string time_text(std::chrono::microseconds time) {
  return duration_text(static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)));
}

// Cuts a line between characters, so that the terminal does not break it.
std::string cut(std::string line) {
  if (line.size() <= kWidestLine) return line;
  std::size_t end = kWidestLine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0u) == 0x80u) --end;
  return line.substr(0, end);
}

std::string text_at(const json::object& step, std::string_view name) {
  const json::value* const found = step.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace

void ChainChecklist::plan(const json::array& steps) {
  order_.clear();
  for (const json::value& value : steps) {
    if (!value.is_object()) continue;
    const std::string id = text_at(value.get_object(), "id");
    order_.push_back(id);
    Row& row = row_of_[id];
    const std::string tool = text_at(value.get_object(), "tool");
    row.what = tool.empty() ? text_at(value.get_object(), "description") : tool;
    if (row.state == State::Failed) row.state = State::Open;   // a revision begins it again
  }
  if (is_live()) draw();
}

std::string ChainChecklist::line_of(const std::string& step, const Row& row) const {
  switch (row.state) {
    case State::Open: return "[ ] " + step + ": " + row.what;
    case State::AtWork:
      return "[>] " + step + ": " + row.what + " " +
             time_text(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - row.begun));
    case State::Done:
    case State::Failed: break;
  }
  const std::string time = row.took ? " (" + time_text(*row.took) + ")" : std::string();
  return (row.state == State::Done ? "[x] " : "[!] ") + step + ": " + row.what + time;
}

void ChainChecklist::tell(const ChainMoment& moment) {
  if (moment.kind == ChainMoment::Kind::Asked) {
    asked_ = moment.what;
    if (!is_live()) std::cerr << moment.what << '\n';
    if (is_live()) draw();
    return;
  }
  asked_.clear();
  Row& row = row_of_[moment.step];
  if (std::find(order_.begin(), order_.end(), moment.step) == order_.end()) order_.push_back(moment.step);
  row.what = moment.what;
  row.took = moment.took;
  if (moment.kind == ChainMoment::Kind::Begun) {
    row.state = State::AtWork;
    row.begun = Clock::now();
  } else {
    row.state = moment.kind == ChainMoment::Kind::Ended ? State::Done : State::Failed;
  }
  if (is_live()) return draw();
  const bool is_begun = moment.kind == ChainMoment::Kind::Begun;
  std::cerr << (is_begun ? "[ ] " + moment.step + ": " + moment.what : line_of(moment.step, row)) << '\n';
}

void ChainChecklist::tick() {
  if (is_live() && drawn_ != 0 && Clock::now() - drawn_at_ >= kBetweenTicks) draw();
}

// Draws over what was drawn before. A list that is longer than the screen loses what is done, then its end.
void ChainChecklist::draw() {
  const std::size_t room = std::max<std::size_t>(rows_, 4) - 2;
  std::size_t hidden = order_.size() > room ? order_.size() - room : 0;
  const std::size_t over = hidden;
  std::vector<std::string> lines;
  for (const std::string& step : order_) {
    const Row& row = row_of_[step];
    if (hidden > 0 && row.state == State::Done) {
      --hidden;
      continue;
    }
    if (lines.size() < room) lines.push_back(cut(line_of(step, row)));
  }
  if (over > 0) lines.back() = "… " + std::to_string(over + 1) + " more steps";
  if (!asked_.empty()) lines.push_back(cut(asked_));
  std::string out;
  if (drawn_ > 0) out += "\x1b[" + std::to_string(drawn_) + "A\r\x1b[J";
  for (const std::string& line : lines) out += line + "\n";
  drawn_ = lines.size();
  drawn_at_ = Clock::now();
  std::cerr << out << std::flush;
}

}  // namespace ptcvm::cli
