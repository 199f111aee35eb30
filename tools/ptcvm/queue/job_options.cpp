#include "tools/ptcvm/queue/job_options.h"

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/loading.h"

namespace ptcvm::cli {

int refuse_job(const Error& error) {
  if (error.code == Errc::store_failed) return complain_of_store(error);
  return refuse_input(error.diagnostic ? error.diagnostic->text : error.message);
}

std::optional<QueuedJob> read_job(const JobArguments& arguments, std::string& message) {
  const Engine engine;
  const RunArguments& program = arguments.program;
  QueuedJob job = arguments.job;
  job.options.limits = program.limits.with_defaults();
  job.options.signature = program.signature;
  job.options.float_precision = program.float_precision;
  job.options.strict_task_ids = program.strict_task_ids;
  if (!program.data.empty()) {
    auto data = context_edn(engine, program, message);
    if (!data) return std::nullopt;
    job.options.data_edn = *std::move(data);
  }
  if (arguments.file.empty()) return job;
  const auto loaded = load_program(engine, arguments.file, message);
  if (!loaded) return std::nullopt;
  job.source = loaded->program ? std::string(loaded->program->source()) : loaded->source;
  job.options.name = arguments.file;
  return job;
}

void declare_job(CLI::App& command, JobArguments& arguments) {
  QueuedJob& job = arguments.job;
  RunArguments& program = arguments.program;
  command.add_option("FILE", arguments.file, "The program; - is standard input");
  command.add_option("--queue", job.queue, "The queue, which is made when it is not there")->capture_default_str();
  command.add_option("--tenant", job.tenant, "Whose run this is: tenants of a queue get fair shares");
  command.add_option("--prio", job.priority, "Smaller goes first")->capture_default_str();
  command.add_option("--attempts", job.most_attempts, "Turns that may fail, until the job is given up")
      ->capture_default_str();
  command.add_option("--need", job.needs, "A tool that the worker must have besides those of the program; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--data", program.data,
                  "Context for data/…: a .json or .edn file with a map, or KEY=FILE; repeatable")
      ->type_name("[KEY=]FILE")
      ->allow_extra_args(false);
  command.add_option("--signature", program.signature,
                     "What the result must look like, e.g. '{name :string, age :int?}'");
  command.add_option("--float-precision", program.float_precision, "Round floats of the result to that many decimals");
  command.add_flag("--strict-task-ids", program.strict_task_ids, "Accept only string literals as ids of (task …)");
  program.limits.declare(command);
}

}  // namespace ptcvm::cli
