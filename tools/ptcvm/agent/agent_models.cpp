#include "tools/ptcvm/agent/agent_models.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "agents/loop/document_text.h"
#include "agents/loop/reply_program.h"
#include "agents/replay/recorded_model.h"
#include "agents/replay/request_text.h"
#include "agents/replay/scripted_model.h"
#include "drivers/mailbox/mailbox_folder.h"
#include "tools/ptcvm/agent/agent_server.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

loop::ModelReply reply_of(replay::HttpAnswer http) {
  loop::ModelReply reply;
  reply.status = http.status;
  reply.headers = std::move(http.headers);
  reply.body = std::move(http.body);
  reply.is_cut = !http.ends_properly;
  return reply;
}

// A model that answers at once.
class InstantSource : public ModelSource {
 public:
  explicit InstantSource(OnBytes on_bytes) : on_bytes_(std::move(on_bytes)) {}
  void ask(const loop::Operation& operation) override {
    ModelAnswer answer = answer_to(operation);
    answer.path = operation.path;
    if (on_bytes_ && !answer.failure && answer.reply.status == 200) on_bytes_(operation.path, answer.reply.body);
    answers_.push_back(std::move(answer));
  }
  std::vector<ModelAnswer> take(int) override { return std::exchange(answers_, {}); }

 private:
  virtual ModelAnswer answer_to(const loop::Operation& operation) = 0;

  OnBytes on_bytes_;
  std::vector<ModelAnswer> answers_;
};

class ScriptedSource : public InstantSource {
 public:
  ScriptedSource(replay::ScriptedModel model, OnBytes on_bytes)
      : InstantSource(std::move(on_bytes)), model_(std::move(model)) {}
  void skip(std::string_view agent_path, std::size_t replies) override { model_.skip(agent_path, replies); }

 private:
  ModelAnswer answer_to(const loop::Operation& operation) override {
    auto said = model_.answer(model_call(operation));
    if (auto* const failure = std::get_if<replay::ReplayFailure>(&said)) return {{}, {}, 0, std::move(*failure)};
    auto& scripted = std::get<replay::ScriptedAnswer>(said);
    return {{}, reply_of(std::move(scripted.http)), scripted.delay_ms, std::nullopt};
  }

  replay::ScriptedModel model_;
};

class RecordedSource : public InstantSource {
 public:
  RecordedSource(replay::RecordedModel model, OnBytes on_bytes)
      : InstantSource(std::move(on_bytes)), model_(std::move(model)) {}

 private:
  ModelAnswer answer_to(const loop::Operation& operation) override {
    auto said = model_.answer(model_call(operation));
    if (auto* const failure = std::get_if<replay::ReplayFailure>(&said)) return {{}, {}, 0, std::move(*failure)};
    return {{}, reply_of(std::get<replay::HttpAnswer>(std::move(said))), 0, std::nullopt};
  }

  replay::RecordedModel model_;
};

// Returns the level of an agent in its tree: the root has 0.
std::ptrdiff_t level_of(std::string_view agent_path) {
  return agent_path.empty() ? 0 : 1 + std::ranges::count(agent_path, '/');
}

// Returns the path of a run of an agent as --child-model names it: without the numbers of calls.
std::string path_of_option(std::string_view agent_path) {
  std::string path;
  bool is_number = false;
  for (const char c : agent_path) {
    is_number = c == '#' || (is_number && c != '/');
    if (!is_number) path += c;
  }
  return path;
}

// Returns why the program before did not end the task, as the newest message of a request says it; or "".
std::string failure_told_in(const loop::Operation& operation) {
  const auto request = replay::RequestText::read(operation.model.protocol, operation.body);
  const std::string told = request ? request->newest() : std::string();
  for (const std::string_view begin : {"Error: ", "The returned value does not fit"}) {
    const std::size_t at = told.find(begin);
    if (at == std::string::npos) continue;
    const std::size_t first = begin == "Error: " ? at + begin.size() : at;
    return ": " + told.substr(first, told.find('\n', first) - first);
  }
  return {};
}

// No model at all: the agent has a program of its own.
class NoModelSource : public InstantSource {
 public:
  NoModelSource() : InstantSource({}) {}

 private:
  ModelAnswer answer_to(const loop::Operation& operation) override {
    return {{}, {}, 0, replay::ReplayFailure{std::string(kModelRequired),
                                             operation.path + " is asked, and there is no model; name one with "
                                             "--model"}};
  }
};

// A program in the place of a model: it answers the first request of its agent, in each run of the agent, and no other
// one. Every other agent that is asked here is below.
class ProgramSource : public InstantSource {
 public:
  ProgramSource(std::string program, std::string_view agent_path, OnBytes on_bytes)
      : InstantSource(std::move(on_bytes)), program_(std::move(program)), level_(level_of(agent_path)) {}
  void skip(std::string_view agent_path, std::size_t replies) override {
    if (level_of(agent_path) == level_ && replies > 0) used_.emplace(agent_path);
  }

 private:
  ModelAnswer answer_to(const loop::Operation& operation) override {
    const bool is_own = level_of(operation.agent) == level_;
    if (is_own && used_.insert(operation.agent).second) {
      loop::ModelReply reply = program_reply(operation, program_);
      reply.is_of_program = true;
      return {{}, std::move(reply), 0, std::nullopt};
    }
    const std::string who = operation.agent.empty() ? "" : " of " + operation.agent;
    const std::string what = is_own ? "the program did not end the task" + who + failure_told_in(operation)
                                    : operation.path + " is asked";
    const std::string cure = !is_own       ? "--child-model " + path_of_option(operation.agent) + "=MODEL"
                             : level_ == 0 ? "--model"
                                           : "--child-model";
    return {{}, {}, 0, replay::ReplayFailure{std::string(kModelRequired),
                                             what + ", and there is only a program; name a model with " + cure}};
  }

  const std::string program_;
  const std::ptrdiff_t level_;
  std::set<std::string, std::less<>> used_;   // the runs of the agent that have had the program, by their paths
};

class MailboxSource : public ModelSource {
 public:
  explicit MailboxSource(const std::string& folder) : mailbox_(folder) {}
  bool has_virtual_time() const override { return false; }
  bool keeps_requests(std::string_view) const override { return true; }
  void ask(const loop::Operation& operation) override {
    const auto posted = mailbox_.post(operation.key, model_call(operation));
    if (const auto* const why = std::get_if<std::string>(&posted)) {
      ModelAnswer answer;
      answer.path = operation.path;
      answer.failure = replay::ReplayFailure{std::string(replay::kMailboxInvalid), *why};
      failed_.push_back(std::move(answer));
    } else {
      asked_[std::get<std::size_t>(posted)] = operation;
    }
  }
  std::vector<ModelAnswer> take(int most_ms) override {
    std::vector<ModelAnswer> answers = look();
    if (!answers.empty()) return answers;
    std::this_thread::sleep_for(std::chrono::milliseconds(most_ms));
    return look();
  }

 private:
  std::vector<ModelAnswer> look() {
    std::vector<ModelAnswer> answers = std::exchange(failed_, {});
    for (auto asked = asked_.begin(); asked != asked_.end();) {
      auto http = mailbox_.look(asked->first, model_call(asked->second));
      if (const auto wrong = mailbox_.complaint()) {
        const std::string name(replay::kMailboxInvalid);
        complain(name + ": " + *wrong + "; the reply is read again when its file changes");
      }
      const std::int64_t deadline_ms = asked->second.deadline_ms;
      if (!http && (deadline_ms == 0 || now_millis() < deadline_ms)) {
        ++asked;
        continue;
      }
      ModelAnswer answer;
      answer.path = asked->second.path;
      if (http) answer.reply = reply_of(*std::move(http));
      if (!http) answer.reply = {.status = 0, .body = "the deadline of the agent is over"};
      answers.push_back(std::move(answer));
      asked = asked_.erase(asked);
    }
    return answers;
  }

  drivers::MailboxFolder mailbox_;
  std::map<std::size_t, loop::Operation> asked_;
  std::vector<ModelAnswer> failed_;
};

class RecordingSource : public ModelSource {
 public:
  RecordingSource(std::unique_ptr<ModelSource> inner, std::ofstream file)
      : inner_(std::move(inner)), file_(std::move(file)) {}
  bool has_virtual_time() const override { return inner_->has_virtual_time(); }
  void ask(const loop::Operation& operation) override {
    asked_[operation.path] = operation;
    inner_->ask(operation);
  }
  std::vector<ModelAnswer> take(int most_ms) override {
    std::vector<ModelAnswer> answers = inner_->take(most_ms);
    for (const ModelAnswer& answer : answers) {
      if (answer.failure || answer.reply.status == 0) continue;
      const replay::HttpAnswer http{answer.reply.status, answer.reply.headers, answer.reply.body,
                                    !answer.reply.is_cut};
      file_ << replay::recorded_line(model_call(asked_[answer.path]), http) << std::flush;
    }
    return answers;
  }
  void skip(std::string_view agent_path, std::size_t replies) override { inner_->skip(agent_path, replies); }
  bool keeps_requests(std::string_view agent_path) const override { return inner_->keeps_requests(agent_path); }

 private:
  std::unique_ptr<ModelSource> inner_;
  std::ofstream file_;
  std::map<std::string, loop::Operation> asked_;   // by path
};

template <class T>
std::optional<T> taken(replay::Replayed<T> read, const std::string& file, std::string& message) {
  if (auto* const model = std::get_if<T>(&read)) return std::move(*model);
  const auto& failure = std::get<replay::ReplayFailure>(read);
  message = failure.name + ": " + file + ": " + failure.message;
  return std::nullopt;
}

std::optional<OpenedModel> open_script(const std::string& file, OnBytes on_bytes, std::string& message) {
  const auto text = read_file(file, message);
  auto model = text ? taken(replay::ScriptedModel::read(*text), file, message) : std::nullopt;
  if (!model) return std::nullopt;
  OpenedModel opened;
  // Streams, because a stream that is cut tells what it used.
  opened.choice = {wire::Protocol::Chat, "scripted", "scripted", true, {}, {}};
  opened.source = std::make_unique<ScriptedSource>(*std::move(model), std::move(on_bytes));
  return opened;
}

std::optional<OpenedModel> open_recording(const std::string& file, OnBytes on_bytes, std::string& message) {
  const auto text = read_file(file, message);
  auto model = text ? taken(replay::RecordedModel::read(*text), file, message) : std::nullopt;
  if (!model) return std::nullopt;
  const replay::RecordedModel::Manner manner = model->manner().value_or(replay::RecordedModel::Manner());
  OpenedModel opened;
  opened.choice = {manner.protocol, "recorded", manner.model, manner.is_stream, {}, {}};
  opened.source = std::make_unique<RecordedSource>(*std::move(model), std::move(on_bytes));
  return opened;
}

std::optional<OpenedModel> open_program(const std::string& file, std::string_view agent_path, OnBytes on_bytes,
                                        std::string& message) {
  auto text = read_turn_program(file, message);
  if (!text) return std::nullopt;
  OpenedModel opened;
  opened.choice = {wire::Protocol::Chat, "program", kProgramModel, false, {}, {}};
  opened.source = std::make_unique<ProgramSource>(*std::move(text), agent_path, std::move(on_bytes));
  return opened;
}

}  // namespace

std::optional<std::string> read_turn_program(const std::string& file, std::string& message) {
  auto text = read_file(file, message);
  std::string mended = text.value_or("");
  loop::mend_text(mended);
  if (!text || mended == *text) return text;
  message = file + " has bytes that are no UTF-8, so it is no program";
  return std::nullopt;
}

loop::ModelReply program_reply(const loop::Operation& operation, const std::string& program) {
  replay::ScriptLine line;
  line.said.calls.push_back({"program", std::string(loop::kRunProgram),
                             boost::json::serialize(boost::json::object{{"program", program}})});
  loop::ModelReply reply = reply_of(replay::answer_of(line, model_call(operation)));
  reply.money = 0;   // nobody was asked
  return reply;
}

replay::ModelCall model_call(const loop::Operation& operation) {
  return {operation.agent, operation.model.protocol, operation.model.is_stream, operation.body, operation.callable};
}

std::optional<OpenedModel> open_model(const std::string& text, bool is_stream, OnBytes on_bytes, std::string& message,
                                      std::string_view agent_path) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "scripted") return open_script(rest, std::move(on_bytes), message);
  if (kind == "replay") return open_recording(rest, std::move(on_bytes), message);
  if (kind == "program") return open_program(rest, agent_path, std::move(on_bytes), message);
  if (kind != "mailbox") return open_server(text, is_stream, std::move(on_bytes), message);
  std::error_code error;
  if (!std::filesystem::is_directory(rest, error)) {
    message = "the mailbox " + rest + " is no folder; make the folder first";
    return std::nullopt;
  }
  OpenedModel opened;
  opened.choice = {wire::Protocol::Chat, "mailbox", "mailbox", false, {}, {}};
  opened.source = std::make_unique<MailboxSource>(rest);
  return opened;
}

OpenedModel open_no_model() {
  OpenedModel opened;
  opened.choice = {wire::Protocol::Chat, "program", kProgramModel, false, {}, {}};
  opened.source = std::make_unique<NoModelSource>();
  return opened;
}

std::unique_ptr<ModelSource> record_model(std::unique_ptr<ModelSource> source, const std::string& path,
                                          std::string& message) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file) {
    message = "cannot write the recording " + path;
    return nullptr;
  }
  return std::make_unique<RecordingSource>(std::move(source), std::move(file));
}

}  // namespace ptcvm::cli
