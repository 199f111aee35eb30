#include "tools/ptcvm/harness/harness_fetch.h"

#include <boost/json.hpp>

#include "agents/harness/conversation/ingestion.h"
#include "ptcvm/json.hpp"

#ifdef PTCVM_HAVE_CURL
#include "drivers/curl/blocking_call.h"
#endif

namespace ptcvm::cli {

namespace json = boost::json;

#ifdef PTCVM_HAVE_CURL
Result<json::object> fetch_document(const std::string& url) {
  const auto refuse = [&url](Errc code, const std::string& why) {
    return Error{code, url + ": " + why, std::nullopt, {}};
  };
  drivers::HttpRequest request;
  request.url = url;
  request.is_get = true;
  constexpr std::uint32_t kMostMs = 20'000;
  request.timeouts.total_ms = kMostMs;
  const drivers::BlockingAnswer answer = drivers::blocking_call(std::move(request), harness::kMostBodyBytes);
  using Kind = drivers::HttpFailure::Kind;
  if (answer.is_too_large) return refuse(Errc::too_large, "the document has more than 1.5 MB");
  if (answer.failure) {
    const bool is_bad = answer.failure->kind == Kind::BadRequest;
    return refuse(is_bad ? Errc::invalid_value : Errc::not_available, answer.failure->message);
  }
  constexpr int kFound = 200;
  if (answer.status != kFound) {
    return refuse(Errc::not_available, "the server answered with the status " + std::to_string(answer.status));
  }
  boost::system::error_code error;
  json::value document = json::parse(answer.body, error);
  if (error || !document.is_object()) return refuse(Errc::invalid_value, "the document is no JSON object");
  if (const std::string doubled = doubled_member(answer.body); !doubled.empty()) {
    return refuse(Errc::invalid_value, "the member " + doubled + " is written twice");
  }
  return std::move(document.get_object());
}
#else
Result<json::object> fetch_document(const std::string& url) {
  return Error{Errc::not_available, url + ": this ptcvm was built without libcurl; give the document with --scenario",
               std::nullopt, {}};
}
#endif

}  // namespace ptcvm::cli
