#include "runtime/durable/run_resolutions.h"

#include <algorithm>

#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// What is said about one operation: a resolution without its value, and its place in the log.
struct News {
  std::uint64_t seq = 0;
  std::string operation;
  std::string_view status, value, text;
};

// "" for operations that are no signals.
std::string signal_name(const Operation& operation, Heap& heap) {
  if (operation.kind != Operation::Kind::Signal) return {};
  MapCursor entry(heap, operation.args);   // {"name" "…"}
  return entry.next() && entry.value().is_string() ? std::string(string_view_of(entry.value())) : std::string();
}

News news_of(const Operation& operation, const RunLog& log) {
  const LoggedOperation* const answer = log.operation(operation.id);
  if (operation.status != Operation::Status::Waiting || answer == nullptr || answer->status.empty()) return {};
  return {answer->resolved_seq, operation.id, answer->status, answer->value, answer->text};
}

std::vector<News> all_news(const Session& session, const RunLog& log, std::uint64_t until) {
  std::vector<News> all;
  for (const Operation& operation : session.run().operations().all()) {
    News news = news_of(operation, log);
    if (news.seq != 0 && news.seq <= until) all.push_back(std::move(news));
  }
  std::stable_sort(all.begin(), all.end(), [](const News& a, const News& b) { return a.seq < b.seq; });
  return all;
}

Resolution resolution_of(Session& session, const News& news) {
  if (news.status == "cancelled") return Resolution::cancel(news.operation, std::string(news.text));
  if (news.status != "ok") return Resolution::error(news.operation, std::string(news.text));
  std::string why;
  const auto value = session.edn().read(news.value, {}, why);
  if (!value) return Resolution::error(news.operation, "its answer cannot be read: " + why);
  return Resolution::ok(news.operation, *value);
}

// Returns what the handles of waiting operations show: the last report of each before `until` in the log.
std::vector<Resolution> progress_reports(Session& session, const RunLog& log, std::uint64_t until) {
  std::vector<Resolution> out;
  for (const Operation& operation : session.run().operations().all()) {
    const LoggedOperation* const logged = log.operation(operation.id);
    if (operation.status != Operation::Status::Waiting || logged == nullptr) continue;
    const auto told = [until](const auto& report) { return report.first <= until; };
    const auto last = std::find_if(logged->progress.rbegin(), logged->progress.rend(), told);
    if (last == logged->progress.rend()) continue;
    std::string why;
    const auto value = session.edn().read(last->second, {}, why);
    if (!value) continue;
    Resolution report = Resolution::progress(operation.id, *value);
    if (session.operations().refuse_value(report)) {
      session.heap().release(report.settlement.value);
    } else {
      out.push_back(std::move(report));
    }
  }
  return out;
}

}  // namespace

bool has_news(const Session& session, const RunLog& log, std::uint64_t until) {
  return !all_news(session, log, until).empty();
}

std::vector<Resolution> take_news(Session& session, const RunLog& log, std::uint64_t until) {
  std::vector<Resolution> out = progress_reports(session, log, until);
  for (const News& news : all_news(session, log, until)) {
    Resolution& made = out.emplace_back(resolution_of(session, news));
    // What is in the log stays there: a result that does not fit, or is too large for this host, is its tool's failure,
    // or the run could never end.
    auto misfit = session.operations().fit({&made, 1});
    if (!misfit) misfit = session.operations().refuse_value(made);
    if (misfit) {
      session.heap().release(made.settlement.value);
      made = Resolution::error(made.operation, misfit->message);
    }
  }
  return out;
}

bool has_decisions(const Session& session, const RunLog& log) {
  return std::ranges::any_of(session.gate().approvals(), [&log](const auto& entry) {
    const LoggedApproval* const said = log.approval(entry.first);
    return entry.second.state == Approval::State::Open && said != nullptr && said->is_decided;
  });
}

void take_approvals(Session& session, const RunLog& log) {
  for (const LoggedApproval& said : log.approvals()) {
    const auto state = find_approval_state(said.state);
    if (state) session.gate().load(said.key, {*state, said.tool, said.args, said.text});
  }
}

std::vector<std::string> wait_keys(Session& session, const RunLog& log) {
  std::vector<std::string> keys;
  for (const WaitingCall& call : session.calls().waiting()) keys.push_back(decided_key(call.key));
  for (const Operation& operation : session.run().operations().all()) {
    if (operation.status != Operation::Status::Waiting) continue;
    keys.push_back(resolved_key(operation.id));
    const std::string name = signal_name(operation, session.heap());
    if (!name.empty()) keys.push_back(external_key(name, log.external_version(name) + 1));
  }
  return keys;
}

std::string operations_to_attach(const RunLog& log) {
  std::string list = "[";
  for (const LoggedOperation& operation : log.operations()) {
    const bool went_wrong =
        !operation.status.empty() && operation.status != "ok" && operation.ends_before < log.ends();
    if (operation.task.empty() || operation.opened.empty() || went_wrong) continue;
    if (list.size() > 1) list += ',';
    const std::uint64_t first = log.epoch_at(operation.task, 0);   // the epoch when the program begins
    std::string_view members = operation.opened;
    members.remove_suffix(1);
    list += members;
    if (operation.epoch < first) list += ",\"detached\":true";
    if (operation.epoch > first) list += ",\"resets_to_come\":" + std::to_string(operation.epoch - first);
    list += '}';
  }
  return list + ']';
}

}  // namespace ptc
