// ptcvm schedule: programs that are enqueued again and again.
#include <iostream>
#include <memory>

#include "runtime/text/json_text.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/queue/cron_schedule.h"
#include "tools/ptcvm/queue/job_options.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"
#include "tools/ptcvm/text/time_spans.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kScheduleExamples = R"(Examples:
  ptcvm schedule put report report.ptc --cron '0 8 * * mon-fri' --zone Europe/Lisbon --store runs.db
  ptcvm schedule ls --store runs.db
  ptcvm schedule rm report --store runs.db)";

constexpr const char* kPutExamples = R"(Examples:
  ptcvm schedule put report report.ptc --cron '0 8 * * mon-fri' --zone Europe/Lisbon --store runs.db
  ptcvm schedule put sweep sweep.ptc --cron '*/15 * * * *' --missed none --queue chores --store runs.db

Workers enqueue the program at each moment, once, whatever their number: the run NAME/2026-12-01T08:00:00Z. The five
fields are minute, hour, day of the month, month and day of the week (names and @daily and the like are taken). When
both days are given, one of the two is enough. When clocks are put forward, a time that is left out counts at the moment
of the change; when they are put back, a time that comes twice counts the first time. With * as the hour, time passes
evenly instead. Moments that passed without a worker: --missed last enqueues the last one of them, all each, none none
that is more than a minute old.)";

struct ScheduleRequest {
  StoreOptions store;
  JobArguments arguments;
  CronSchedule schedule;
  std::string name, tenant;
  std::int64_t from_ms = 0;                    // 0: now
  std::size_t count = 10;
  bool json = false;
};

int put(const ScheduleRequest& request) {
  if (request.arguments.file.empty()) return refuse_input("which program? Give FILE");
  std::string message;
  const auto job = read_job(request.arguments, message);
  if (!job) return refuse_input(message);
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Create, status)) return status;
  const auto now = store_time_ms(command.store());
  if (!now) return complain_of_store(now.error());
  const auto next = next_moment(request.schedule, *now, message);
  if (!next) return refuse_input(message);
  StoredSchedule wanted;
  wanted.name = request.name;
  wanted.spec = spec_text(request.schedule);
  wanted.next_ms = *next;
  if (const auto done = put_schedule(Engine(), command.store(), wanted, *job); !done) return refuse_job(done.error());
  std::cout << request.name << " is next at " << moment_text(*next) << '\n';
  return kSuccess;
}

void write_line(const StoredSchedule& schedule, const CronSchedule& spec) {
  std::string out = "{";
  ptc::append_json_member(out, "name", schedule.name);
  ptc::append_json_member(out, "cron", spec.cron);
  ptc::append_json_member(out, "zone", spec.zone);
  ptc::append_json_member(out, "missed", missed_name(spec.missed));
  ptc::append_json_member(out, "queue", schedule.queue);
  ptc::append_json_member(out, "tenant", schedule.tenant);
  ptc::append_json_member(out, "next_ms", schedule.next_ms);
  ptc::append_json_member(out, "last_ms", schedule.last_ms);
  ptc::append_json_member(out, "fired", schedule.fired);
  if (!schedule.refused.empty()) ptc::append_json_member(out, "refused", schedule.refused);
  std::cout << out << "}\n";
}

int list(const ScheduleRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const auto all = schedules(command.store());
  if (!all) return complain_of_store(all.error());
  const std::int64_t now = now_millis();
  std::vector<std::vector<std::string>> rows = {{"NAME", "CRON", "ZONE", "MISSED", "QUEUE", "NEXT", "LAST", "RUNS"}};
  for (const StoredSchedule& schedule : *all) {
    const CronSchedule spec = read_spec(schedule.spec).value_or(CronSchedule{schedule.spec, "", MissedMoments::Last});
    if (request.json) write_line(schedule, spec);
    rows.push_back({schedule.name, spec.cron, spec.zone, std::string(missed_name(spec.missed)), schedule.queue,
                    schedule.refused.empty() ? moment_text(schedule.next_ms, now)
                                             : "refused " + std::string(schedule.refused),
                    schedule.last_ms == 0 ? "-" : moment_text(schedule.last_ms, now), std::to_string(schedule.fired)});
  }
  if (request.json) return kSuccess;
  if (all->empty()) std::cerr << "no schedules\n";
  if (!all->empty()) std::cout << text_table(rows);
  return kSuccess;
}

int remove(const ScheduleRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const auto done = remove_schedule(command.store(), request.name, request.tenant);
  if (!done) return refuse_job(done.error());
  if (!*done) return refuse_input("there is no schedule " + request.name + "; `ptcvm schedule ls` lists them");
  std::cout << request.name << " is removed; runs that were enqueued stay\n";
  return kSuccess;
}

int show_moments(const ScheduleRequest& request) {
  std::string message;
  std::int64_t moment = request.from_ms == 0 ? now_millis() : request.from_ms;
  for (std::size_t i = 0; i < request.count; ++i) {
    const auto next = next_moment(request.schedule, moment, message);
    if (!next) return refuse_input(message);
    moment = *next;
    std::cout << moment_text(moment) << '\n';
  }
  return kSuccess;
}

void add_next(CLI::App& command, int& status) {
  CLI::App* const part = command.add_subcommand("next", "Show the moments of a cron expression");
  auto request = std::make_shared<ScheduleRequest>();
  part->add_option("--cron", request->schedule.cron, "When: five fields, such as '0 8 * * mon-fri'")->required();
  part->add_option("--zone", request->schedule.zone, "The time zone, such as Europe/Lisbon")->capture_default_str();
  add_moment(*part, "--from", request->from_ms, "The moments after that one; now, if not given");
  part->add_option("--count", request->count, "How many")->capture_default_str();
  part->footer("Examples:\n  ptcvm schedule next --cron '30 1 * * *' --zone Europe/Lisbon --from 2027-03-27 --count 3");
  part->callback([request, &status] { status = show_moments(*request); });
}

void add_put(CLI::App& command, int& status) {
  CLI::App* const part = command.add_subcommand("put", "Enqueue a program again and again");
  auto request = std::make_shared<ScheduleRequest>();
  part->add_option("NAME", request->name, "Names the schedule; one that is there is replaced")->required();
  declare_job(*part, request->arguments);
  declare_queue_store(*part, request->store);
  part->add_option("--cron", request->schedule.cron, "When: five fields, such as '0 8 * * mon-fri'")->required();
  part->add_option("--zone", request->schedule.zone, "The time zone, such as Europe/Lisbon")->capture_default_str();
  part->add_option_function<std::string>(
          "--missed",
          [request](const std::string& name) { request->schedule.missed = find_missed(name).value(); },
          "Moments that passed without a worker: last, all or none (last)")
      ->check(CLI::IsMember({"last", "all", "none"}).description(""))
      ->type_name("WHICH");
  part->footer(kPutExamples);
  part->callback([request, &status] { status = put(*request); });
}

}  // namespace

void add_schedule_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("schedule", "Enqueue programs again and again");
  command->require_subcommand(1);
  command->footer(kScheduleExamples);
  add_put(*command, status);
  add_next(*command, status);

  auto request = std::make_shared<ScheduleRequest>();
  CLI::App* const ls = command->add_subcommand("ls", "List the schedules, and when they are next");
  declare_queue_store(*ls, request->store);
  ls->add_flag("--json", request->json, "A line of JSON for each");
  ls->footer("Examples:\n  ptcvm schedule ls --store runs.db");
  ls->callback([request, &status] { status = list(*request); });

  CLI::App* const rm = command->add_subcommand("rm", "Remove a schedule");
  rm->add_option("NAME", request->name, "The schedule")->required();
  declare_store(*rm, request->store);
  rm->add_option("--tenant", request->tenant, "Whose schedule it is");
  rm->footer("Examples:\n  ptcvm schedule rm report --store runs.db");
  rm->callback([request, &status] { status = remove(*request); });
}

}  // namespace ptcvm::cli
