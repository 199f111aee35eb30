#include "drivers/stdio/call_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "drivers/stdio/marked_processes.h"

namespace ptcvm::stdio {
namespace {

constexpr std::size_t kMostRequestBytes = 64u << 20;   // a process that reads nothing is stopped
constexpr std::size_t kReadBytes = 64u << 10;
constexpr std::chrono::milliseconds kEndTick{5};       // how often an end is looked for
constexpr std::string_view kBlanks = " \t\r\n";

// Makes room for one read more. A text of more than half of what it may have gets all of that at once, because two
// copies of it are there while it grows; room that nobody has written to takes no memory.
void make_room(std::string& text, std::size_t most) {
  if (text.capacity() - text.size() >= kReadBytes) return;
  const std::size_t doubled = 2 * text.capacity();
  text.reserve((doubled > most / 2 ? std::max(most, text.size()) : doubled) + kReadBytes);
}

// Reads what is there into a text of at most `most` bytes. Returns false when the other side has closed the pipe.
bool read_some(Descriptor& from, std::string& text, std::size_t most) {
  std::array<char, kReadBytes> buffer;
  const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  make_room(text, most);
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string end_text(int status, std::string_view errors) {
  std::string text = WIFSIGNALED(status) ? "its process ended by signal " + std::to_string(WTERMSIG(status))
                                         : "its process ended with status " + std::to_string(WEXITSTATUS(status));
  const std::size_t last = errors.find_last_not_of(kBlanks);
  if (last != std::string_view::npos) text.append(": ").append(errors.substr(0, last + 1));
  return text;
}

// Waits for the end of a child. Returns whether it has ended.
bool ends_within(pid_t pid, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  int status = 0;
  while (!reap_child(pid, status)) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kEndTick);
  }
  return true;
}

}  // namespace

CallProcess::CallProcess(StayingProgram program, std::unique_ptr<CallProtocol> protocol, CallProcessRules rules)
    : program_(std::move(program)), protocol_(std::move(protocol)), rules_(std::move(rules)) {}

CallProcess::~CallProcess() { end_process(open_.empty()); }

std::string CallProcess::start() {
  int status = 0;
  // A process that has ended while nobody called has done no harm.
  if (ends_ != nullptr && !is_attended() && reap_child(ends_->pid, status)) ends_.reset();
  if (ends_ != nullptr) return {};
  auto ends = std::make_unique<ChildEnds>();
  if (const int error = ends->start({program_.command, program_.environment, program_.folder}); error != 0) {
    failure_ = start_failure_text(program_.command, program_.folder, error);
    return failure_;
  }
  ends_ = std::move(ends);
  requests_.clear();
  answers_.clear();
  errors_.clear();
  written_ = 0;
  started_ = heard_ = Clock::now();
  protocol_->begin();
  take_protocol();
  return {};
}

void CallProcess::begin(ProcessCall call) {
  if (std::string message = start(); !message.empty()) {
    done_.push_back({call.call, CallAnswer::Kind::Error, std::move(message)});
    return;
  }
  open_[call.call] = {call.deadline, call.overdue, {}, Clock::now()};
  protocol_->send(call);
  take_protocol();
}

// Takes what the protocol has to say: to the process, to the callers, to the log.
void CallProcess::take_protocol() {
  if (const std::string notes = protocol_->take_notes(); !notes.empty()) note_errors(notes);
  for (CallAnswer& answer : protocol_->take_answers()) {
    const auto open = open_.find(answer.call);
    if (open == open_.end()) continue;
    answer.errors = std::move(open->second.errors);
    open_.erase(open);
    done_.push_back(std::move(answer));
  }
  requests_ += protocol_->take_outgoing();
  if (ends_ != nullptr) write_requests();
  if (requests_.size() - written_ > kMostRequestBytes) stop("its process does not read its standard input");
}

void CallProcess::write_requests() {
  while (ends_->to_child.is_open() && written_ < requests_.size()) {
    const ssize_t written =
        ::write(ends_->to_child.get(), requests_.data() + written_, requests_.size() - written_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN) ends_->to_child.close();   // its end says the rest
    if (written < 0) return;
    written_ += static_cast<std::size_t>(written);
  }
  requests_.clear();
  written_ = 0;
}

std::vector<CallAnswer> CallProcess::look() {
  if (ends_ != nullptr) {
    write_requests();
    const bool is_open = read_answers();
    read_errors();                               // what was written before an answer belongs to its call
    take_lines();
    if (ends_ != nullptr && !is_open) ends_->from_child.close();
    check_end();
    check_deadlines();
    check_ready();
  }
  return std::exchange(done_, {});
}

// Returns false when the process has closed its output.
bool CallProcess::read_answers() {
  if (!ends_->from_child.is_open()) return true;
  for (std::size_t before = SIZE_MAX; before != answers_.size() && answers_.size() <= most_line_bytes();) {
    before = answers_.size();
    if (!read_some(ends_->from_child, answers_, most_line_bytes())) return false;
  }
  return true;
}

void CallProcess::read_errors() {
  if (!ends_->errors.is_open()) return;
  if (!read_some(ends_->errors, errors_, rules_.most_error_bytes)) ends_->errors.close();
  const std::size_t end = errors_.rfind('\n') + 1;        // 0: no line is complete
  if (end > 0 && is_attended()) note_errors(std::string_view(errors_).substr(0, end));
  if (end > 0) errors_.erase(0, end);
  if (errors_.size() > rules_.most_error_bytes) errors_.erase(0, errors_.size() - rules_.most_error_bytes);
}

// Nobody knows which of several open calls the lines are about: each of them has the lines.
void CallProcess::note_errors(std::string_view lines) {
  rules_.on_errors(lines);
  for (auto& [call, open] : open_) {
    open.errors += lines;
    if (open.errors.size() > rules_.most_error_bytes) {
      open.errors.erase(0, open.errors.size() - rules_.most_error_bytes);
    }
  }
}

std::size_t CallProcess::most_line_bytes() const {
  const std::uint64_t room = std::max<std::uint64_t>(room_, kShortLineBytes);
  return static_cast<std::size_t>(std::min<std::uint64_t>(room, rules_.most_line_bytes));
}

void CallProcess::take_line(std::string_view line) {
  if (line.find_first_not_of(kBlanks) == std::string_view::npos) return;
  heard_ = Clock::now();
  const std::uint64_t left = room_ - std::min<std::uint64_t>(room_, answers_.size());
  const std::uint64_t most = std::max<std::uint64_t>(left, kShortLineMemory);
  const LineEnd end = protocol_->receive(line, static_cast<std::size_t>(most));
  if (end.wrong.empty()) return take_protocol();
  end_process(false);
  lose_all(end.wrong, end.lacks_memory);
}

void CallProcess::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = answers_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view(answers_).substr(begin, end - begin));
    if (ends_ == nullptr) return drop_answers();
  }
  answers_.erase(0, begin);
  if (begin > 0 && answers_.capacity() > 2 * kShortLineBytes) answers_.shrink_to_fit();   // gives its memory back
  if (answers_.size() <= most_line_bytes()) return;
  const bool lacks_memory = answers_.size() <= rules_.most_line_bytes;
  end_process(false);
  lose_all("its answer is larger than " + std::to_string(most_line_bytes()) + " bytes", lacks_memory);
  drop_answers();
}

void CallProcess::check_end() {
  int status = 0;
  if (ends_ == nullptr) return;
  if (!ends_->from_child.is_open()) {
    kill_child(*ends_, status);                  // without its output the process is useless
  } else if (!is_attended() || !reap_child(ends_->pid, status)) {
    return;
  } else {
    kill_marked(ends_->mark);                    // what it has started does not outlive it
  }
  ends_->pid = -1;
  (void)read_answers();                          // what it wrote before it ended
  take_lines();
  if (ends_ == nullptr) return;                  // what it wrote says more than how it ended
  read_errors();
  ends_.reset();
  lose_all(end_text(status, errors_));
}

void CallProcess::check_deadlines() {
  const Clock::time_point now = Clock::now();
  const auto overdue = std::ranges::find_if(
      open_, [now](const auto& open) { return open.second.deadline && now >= *open.second.deadline; });
  if (overdue == open_.end()) return;
  Open late = std::move(overdue->second);
  const bool is_sent = protocol_->is_sent(overdue->first);
  const bool is_told = protocol_->cancel(overdue->first);
  done_.push_back({overdue->first, is_sent ? CallAnswer::Kind::Unknown : CallAnswer::Kind::Error,
                   std::move(late.overdue), std::move(late.errors)});
  open_.erase(overdue);
  if (is_told && heard_ > late.begun) return take_protocol();
  stop("its process was stopped, because another call had no answer in time");
}

void CallProcess::check_ready() {
  if (ends_ == nullptr || rules_.ready_within.count() == 0 || protocol_->is_ready()) return;
  if (Clock::now() < started_ + rules_.ready_within) return;
  stop("its process was not ready within " + std::to_string(rules_.ready_within.count()) + " ms");
}

void CallProcess::stop(const std::string& why) {
  end_process(false);
  lose_all(why);
}

void CallProcess::abandon() {
  if (open_.empty() && done_.empty()) return;
  open_.clear();
  done_.clear();
  end_process(false);
}

void CallProcess::end_process(bool gently) {
  int status = 0;
  if (ends_ == nullptr) return;
  if (gently && rules_.grace.count() > 0 && ends_->pid > 0) {
    ends_->to_child.close();
    if (ends_within(ends_->pid, rules_.grace)) ends_->pid = -1;
    if (ends_->pid > 0 && ::kill(-ends_->pid, SIGTERM) == 0 && ends_within(ends_->pid, rules_.grace)) ends_->pid = -1;
  }
  if (ends_->pid > 0) kill_child(*ends_, status);
  ends_.reset();
}

void CallProcess::lose_all(const std::string& why, bool lacks_memory) {
  using Kind = CallAnswer::Kind;
  failure_ = why;
  // With several calls open, nobody knows which one has no memory, and what became of the others.
  const Kind sent = lacks_memory && open_.size() == 1 ? Kind::TooLarge : Kind::Unknown;
  for (auto& [call, open] : std::exchange(open_, {})) {
    done_.push_back({call, protocol_->is_sent(call) ? sent : Kind::Error, why, std::move(open.errors)});
  }
}

void CallProcess::add_waits(std::vector<pollfd>& waits) const {
  if (ends_ == nullptr || !is_attended()) return;
  if (ends_->to_child.is_open() && written_ < requests_.size()) waits.push_back({ends_->to_child.get(), POLLOUT, 0});
  if (ends_->from_child.is_open()) waits.push_back({ends_->from_child.get(), POLLIN, 0});
  if (ends_->errors.is_open()) waits.push_back({ends_->errors.get(), POLLIN, 0});
}

}  // namespace ptcvm::stdio
