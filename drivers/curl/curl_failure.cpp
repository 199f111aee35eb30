#include "drivers/curl/curl_failure.h"

namespace ptcvm::drivers {

namespace {

using Kind = HttpFailure::Kind;

Kind kind_of(CURLcode code, bool head_came) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return Kind::BadRequest;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return Kind::Unreachable;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS: return Kind::Certificate;
    case CURLE_OPERATION_TIMEDOUT: return Kind::TimedOut;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT: return Kind::Broken;
    default: return head_came ? Kind::Cut : Kind::Unreachable;
  }
}

// Returns whether the failure is one of those that come before the first byte of the request.
bool is_before_request(CURLcode code, Kind kind, TransferPlace place) {
  if (kind == Kind::TimedOut && place == TransferPlace::Connecting) return true;
  if (kind == Kind::BadRequest || kind == Kind::Certificate || kind == Kind::Broken) return true;
  return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
         code == CURLE_SSL_CONNECT_ERROR;
}

std::string_view advice(CURLcode code, Kind kind) {
  if (code == CURLE_COULDNT_RESOLVE_PROXY) return "Check http_proxy, https_proxy and no_proxy.";
  switch (kind) {
    case Kind::BadRequest: return "Write the base URL as http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH.";
    case Kind::Unreachable: return "Check the base URL, the network and the proxy, and whether the server runs.";
    case Kind::Certificate:
      return "If the server has a certificate of your own authority, name the authority's file in SSL_CERT_FILE. If "
             "the name or the date is wrong, correct the base URL, the clock or the certificate. Verification cannot "
             "be switched off.";
    case Kind::TimedOut: return "Allow more time, or ask again later.";
    case Kind::Cut: return "Nothing of the answer is used; ask again.";
    case Kind::Cancelled:
    case Kind::Broken: return "";
  }
  return "";
}

std::string_view what_happened(Kind kind) {
  switch (kind) {
    case Kind::BadRequest: return "The request cannot be sent to ";
    case Kind::Unreachable: return "There is no connection to ";
    case Kind::Certificate: return "The certificate was not accepted of ";
    case Kind::TimedOut: return "The time was over while waiting for ";
    case Kind::Cut: return "The connection ended within the answer of ";
    case Kind::Cancelled: return "The call was cancelled to ";
    case Kind::Broken: return "libcurl cannot be used for ";
  }
  return "";
}

}  // namespace

HttpFailure curl_failure(CURLcode code, std::string_view detail, std::string_view server, TransferPlace place) {
  const Kind kind = kind_of(code, place == TransferPlace::Answering);
  // There was a connection, and the request may have been carried out.
  const bool is_cut = kind == Kind::Unreachable && !is_before_request(code, kind, place);
  std::string message(is_cut ? "The connection ended before the answer of " : what_happened(kind));
  message.append(server).append(": ");
  message += detail.empty() ? std::string(curl_easy_strerror(code)) : std::string(detail);
  if (!message.ends_with('.')) message += '.';
  const std::string_view next = is_cut ? "Nobody knows whether the request was carried out." : advice(code, kind);
  if (!next.empty()) message.append(" ").append(next);
  return {kind, std::move(message), !is_before_request(code, kind, place)};
}

}  // namespace ptcvm::drivers
