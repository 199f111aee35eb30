#include "tools/ptcvm/trace/trace_post.h"

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_options.h"

#ifdef PTCVM_HAVE_OTEL
#include "ptcvm/otel.hpp"
#endif

namespace ptcvm::cli {

void declare_post_options(CLI::App& command, PostOptions& options) {
  command.add_option("--endpoint", options.endpoint, "Post it there; a URL without a path is given /v1/traces")
      ->type_name("URL");
  command.add_option("--header", options.headers, "A header of the request, with --endpoint; repeatable")
      ->type_name("K=V")
      ->allow_extra_args(false);
  command.add_option("--timeout", options.timeout_ms,
                     "The longest time of one request; a request that is refused for now is made again")
      ->type_name("MS");
  command.add_option("--service", options.service_name, "service.name of the spans")->type_name("NAME");
}

#ifdef PTCVM_HAVE_OTEL
int post_spans(std::string_view otlp_json, const PostOptions& options) {
  OtlpOptions wanted;
  wanted.endpoint = options.endpoint;
  wanted.timeout_ms = options.timeout_ms;
  for (const std::string& text : options.headers) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return refuse_input("--header " + text + ": K=V is wanted");
    wanted.headers.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  OtlpExporter exporter(std::move(wanted));
  const auto error = exporter.send(otlp_json);
  if (!error) return kSuccess;
  complain(options.endpoint + ": " + error->message);
  return error->kind == OtlpError::Kind::BadOptions ? kBadInput : kStoreFailed;
}
#else
int post_spans(std::string_view, const PostOptions&) {
  return refuse_input("this build cannot post: it was made without libcurl");
}
#endif

}  // namespace ptcvm::cli
