#include "tools/ptcvm/staying_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ptcvm/convert.hpp"
#include "tools/ptcvm/tool_errors.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMostAnswerBytes = ChildLimits().max_output_bytes;
constexpr std::size_t kMostErrorBytes = ChildLimits().max_error_bytes;

std::string quoted_json(std::string_view text) { return Value::of(std::string(text)).to_json(); }

// Reads what is there. Returns false when the other side has closed the pipe.
bool read_some(Descriptor& from, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string end_text(int status, std::string_view errors) {
  std::string text = WIFSIGNALED(status) ? "its process ended by signal " + std::to_string(WTERMSIG(status))
                                         : "its process ended with status " + std::to_string(WEXITSTATUS(status));
  const std::size_t last = errors.find_last_not_of(" \t\r\n");
  if (last != std::string_view::npos) text.append(": ").append(errors.substr(0, last + 1));
  return text;
}

}  // namespace

StayingProcess::~StayingProcess() { end_process(); }

bool StayingProcess::serves(const ExternalTool& tool) const {
  return tool.command == tool_.command && tool.environment == tool_.environment && tool.folder == tool_.folder &&
         tool.in_flight == tool_.in_flight;
}

bool StayingProcess::start(std::string& message) {
  int status = 0;
  // A process that has ended while nobody called has done no harm.
  if (ends_ != nullptr && open_.empty() && reap_child(ends_->pid, status)) ends_.reset();
  if (ends_ != nullptr) return true;
  auto ends = std::make_unique<ChildEnds>();
  if (const int error = ends->start({tool_.command, tool_.environment, tool_.folder}); error != 0) {
    message = "cannot start " + tool_.command[0] + ": " + std::strerror(error);
    return false;
  }
  ends_ = std::move(ends);
  requests_.clear();
  answers_.clear();
  written_ = 0;
  return true;
}

void StayingProcess::begin(const WaitingCall& call, const ExternalTool& tool, std::string_view args_json) {
  std::string message;
  if (!start(message)) {
    done_.push_back({call.id, {CommandReply::Kind::Error, std::move(message)}});
    return;
  }
  Open& open = open_[++last_id_];
  open.call = call.id;
  open.deadline = deadline_of(tool, call.deadline);
  open.overdue = timeout_text(tool);
  requests_ += "{\"id\":" + std::to_string(last_id_) + ",\"tool\":" + quoted_json(tool.name) + ",\"args\":";
  requests_.append(args_json).append(",\"key\":").append(quoted_json(call.key));
  if (call.fencing_token != 0) requests_ += ",\"fencing_token\":" + std::to_string(call.fencing_token);
  requests_ += "}\n";
  write_requests();
}

void StayingProcess::write_requests() {
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

std::vector<StayingProcess::Answer> StayingProcess::look() {
  if (ends_ != nullptr) {
    write_requests();
    const bool is_open = read_answers();
    read_errors();                               // what was written before an answer belongs to its call
    take_lines();
    if (ends_ != nullptr && !is_open) ends_->from_child.close();
    check_end();
    check_deadlines();
  }
  return std::exchange(done_, {});
}

// Returns false when the process has closed its output.
bool StayingProcess::read_answers() {
  if (!ends_->from_child.is_open()) return true;
  for (std::size_t before = SIZE_MAX; before != answers_.size() && answers_.size() <= kMostAnswerBytes;) {
    before = answers_.size();
    if (!read_some(ends_->from_child, answers_)) return false;
  }
  return true;
}

void StayingProcess::read_errors() {
  if (!ends_->errors.is_open()) return;
  if (!read_some(ends_->errors, errors_)) ends_->errors.close();
  const std::size_t end = errors_.rfind('\n') + 1;        // 0: no line is complete
  if (end > 0 && !open_.empty()) note_errors(std::string_view(errors_).substr(0, end));
  if (end > 0) errors_.erase(0, end);
  if (errors_.size() > kMostErrorBytes) errors_.erase(0, errors_.size() - kMostErrorBytes);
}

// Nobody knows which of several open calls the lines are about: each of them has the lines.
void StayingProcess::note_errors(std::string_view lines) {
  show_tool_errors(tool_.name, lines);
  for (auto& [id, open] : open_) {
    open.errors += lines;
    if (open.errors.size() > kMostErrorBytes) open.errors.erase(0, open.errors.size() - kMostErrorBytes);
  }
}

void StayingProcess::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = answers_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (!take_line(std::string_view(answers_).substr(begin, end - begin))) return;
  }
  answers_.erase(0, begin);
  if (answers_.size() <= kMostAnswerBytes) return;
  stop("its answer is larger than " + std::to_string(kMostAnswerBytes) + " bytes");
}

// Returns false when the line is no answer, and the process was stopped.
bool StayingProcess::take_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return true;
  const auto answer = Value::from_json(line);
  const ValueView read = answer ? answer->view() : ValueView();
  const ValueView id = read["id"];
  auto open = open_.end();
  if (read.kind() == ValueKind::Map && id.is_nil() && open_.size() == 1) open = open_.begin();
  if (const auto number = id.as_int()) open = open_.find(static_cast<std::uint64_t>(*number));
  const bool has_error = !read["error"].is_nil();
  if (open == open_.end() || (has_error && !read["error"].as_string())) {
    stop("its process wrote a line that is no answer to an open call: " + std::string(line.substr(0, 200)));
    return false;
  }
  CommandReply reply;
  reply.kind = has_error ? CommandReply::Kind::Error : CommandReply::Kind::Json;
  reply.text = has_error ? std::string(*read["error"].as_string()) : read["value"].to_json();
  reply.shown_errors = std::move(open->second.errors);
  done_.push_back({open->second.call, std::move(reply)});
  open_.erase(open);
  return true;
}

void StayingProcess::check_end() {
  int status = 0;
  if (ends_ == nullptr) return;
  if (!ends_->from_child.is_open()) {
    kill_child(ends_->pid, status);              // without its output the process is useless
  } else if (open_.empty() || !reap_child(ends_->pid, status)) {
    return;
  }
  ends_->pid = -1;
  (void)read_answers();                          // what it wrote before it ended
  take_lines();
  if (ends_ != nullptr) read_errors();
  ends_.reset();
  lose_all(end_text(status, errors_));
  errors_.clear();
}

void StayingProcess::check_deadlines() {
  const Clock::time_point now = Clock::now();
  const auto overdue = std::ranges::find_if(
      open_, [now](const auto& open) { return open.second.deadline && now >= *open.second.deadline; });
  if (overdue == open_.end()) return;
  Open& late = overdue->second;
  done_.push_back(
      {late.call, {CommandReply::Kind::Unknown, std::move(late.overdue), false, {}, std::move(late.errors)}});
  open_.erase(overdue);
  stop("its process was stopped, because another call had no answer in time");
}

void StayingProcess::stop(const std::string& why) {
  end_process();
  lose_all(why);
}

void StayingProcess::abandon() {
  if (open_.empty() && done_.empty()) return;
  open_.clear();
  done_.clear();
  end_process();
}

void StayingProcess::end_process() {
  int status = 0;
  if (ends_ != nullptr && ends_->pid > 0) kill_child(ends_->pid, status);
  ends_.reset();
}

void StayingProcess::lose_all(const std::string& why) {
  for (auto& [id, open] : std::exchange(open_, {})) {
    done_.push_back({open.call, {CommandReply::Kind::Unknown, why, false, {}, std::move(open.errors)}});
  }
}

void StayingProcess::add_waits(std::vector<pollfd>& waits) const {
  if (ends_ == nullptr || open_.empty()) return;
  if (ends_->to_child.is_open() && written_ < requests_.size()) waits.push_back({ends_->to_child.get(), POLLOUT, 0});
  if (ends_->from_child.is_open()) waits.push_back({ends_->from_child.get(), POLLIN, 0});
  if (ends_->errors.is_open()) waits.push_back({ends_->errors.get(), POLLIN, 0});
}

}  // namespace ptcvm::cli
