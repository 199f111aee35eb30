#include "tools/ptcvm/worker/worker_log.h"

#include "runtime/text/json_text.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

// Makes one line of any text.
std::string on_one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return out;
}

void add_word(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  const std::string shown = on_one_line(text);
  const bool is_plain = shown.find_first_of(" \"=") == std::string::npos;
  out.append(" ").append(name).append("=");
  if (is_plain) {
    out += shown;
  } else {
    ptc::append_json_string(out, shown);
  }
}

void add_member(std::string& out, std::string_view name, std::string_view text) {
  if (!text.empty()) ptc::append_json_member(out, name, text);
}

}  // namespace

void WorkerLog::write(const Line& line) {
  const std::string time = moment_text(now_millis());
  std::string out;
  if (json_) {
    out = "{";
    ptc::append_json_member(out, "time", time);
    ptc::append_json_member(out, "event", line.event);
    if (line.node != 0) ptc::append_json_member(out, "node", line.node);
    add_member(out, "run", line.run);
    add_member(out, "queue", line.queue);
    add_member(out, "tenant", line.tenant);
    add_member(out, "text", line.text);
    if (!line.run.empty()) ptc::append_json_member(out, "ms", line.millis);
    out += "}\n";
  } else {
    out.append(time).append(" ").append(line.event);
    if (line.node != 0) out += " node=" + std::to_string(line.node);
    add_word(out, "run", line.run);
    add_word(out, "queue", line.queue);
    add_word(out, "tenant", line.tenant);
    if (!line.run.empty()) out += " ms=" + std::to_string(line.millis);
    add_word(out, "text", line.text);
    out += '\n';
  }
  const std::lock_guard lock(mutex_);
  write_out(out);
}

void WorkerLog::write(const WorkerEvent& event) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(event.took).count();
  write(Line{worker_event_name(event.kind), event.run, event.queue, event.tenant, event.text, event.node,
             static_cast<std::uint64_t>(took)});
}

void WorkerLog::note(std::string_view event, std::string_view text) { write(Line{event, {}, {}, {}, text}); }

Verdict WorkerLog::on_event(const Event& event) {
  if (event.kind == EventKind::Print) write(Line{"print", event.run_id, {}, {}, event.text});
  return Verdict::Continue;
}

}  // namespace ptcvm::cli
