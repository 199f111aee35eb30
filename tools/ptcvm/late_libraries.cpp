// Libraries that the command line loads when it first needs them. With all that they bring along, libcurl and libpq
// take 7 MiB of each process, and most commands use neither. The functions here have the names of the libraries' own,
// so the linker finds them first and leaves the libraries out. Each loads its library and goes on there.
//
// A library that is not there ends the process with status 69: the program was built with it.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#ifdef PTCVM_LATE_LIBPQ
#include <libpq-fe.h>
#endif
#ifdef PTCVM_LATE_LIBCURL
#include <curl/curl.h>
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#endif

namespace ptcvm::cli {
namespace {

constexpr int kUnavailable = 69;

// `package` is the one of Debian that has the library, or "" when the machine that built this did not know.
[[noreturn]] void end_without(const char* library, const char* package) {
  std::fprintf(stderr, "ptcvm: %s cannot be used: %s\n", library, dlerror());
  if (*package != '\0') {
    std::fprintf(stderr, "  install it: apt install %s (elsewhere: the package with %s)\n", package, library);
  } else {
    std::fprintf(stderr, "  install the package of your system that has %s\n", library);
  }
  std::fflush(nullptr);
  _exit(kUnavailable);
}

// Never unloaded: OpenSSL, which both need, has things to do when the process ends.
class LateLibrary {
 public:
  LateLibrary(const char* name, const char* package)
      : name_(name), package_(package), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) end_without(name_, package_);
  }
  template <class Function>
  Function* find(const char* function) const {
    void* const found = dlsym(handle_, function);
    if (found == nullptr) end_without(name_, package_);
    return reinterpret_cast<Function*>(found);
  }

 private:
  const char *name_, *package_;
  void* handle_;
};

}  // namespace
}  // namespace ptcvm::cli

// Defines a function that calls the one of the same name in the library.
#define LATE(library, result, name, parameters, arguments)                \
  extern "C" result name parameters {                                     \
    static auto* const found = library().find<decltype(name)>(#name);     \
    return found arguments;                                               \
  }

#ifdef PTCVM_LATE_LIBPQ
namespace {
const ptcvm::cli::LateLibrary& libpq() {
  static const ptcvm::cli::LateLibrary library(PTCVM_LATE_LIBPQ, PTCVM_LATE_LIBPQ_PACKAGE);
  return library;
}
}  // namespace

LATE(libpq, void, PQclear, (PGresult * result), (result))
LATE(libpq, PostgresPollingStatusType, PQconnectPoll, (PGconn * connection), (connection))
LATE(libpq, PGconn*, PQconnectStartParams, (const char* const* words, const char* const* values, int expand),
     (words, values, expand))
LATE(libpq, int, PQconsumeInput, (PGconn * connection), (connection))
LATE(libpq, PGconn*, PQconnectdbParams, (const char* const* words, const char* const* values, int expand),
     (words, values, expand))
LATE(libpq, char*, PQerrorMessage, (const PGconn* connection), (connection))
LATE(libpq, PGresult*, PQexec, (PGconn * connection, const char* query), (connection, query))
LATE(libpq, PGresult*, PQexecParams,
     (PGconn * connection, const char* command, int count, const Oid* types, const char* const* values,
      const int* lengths, const int* formats, int result_format),
     (connection, command, count, types, values, lengths, formats, result_format))
LATE(libpq, PGresult*, PQexecPrepared,
     (PGconn * connection, const char* name, int count, const char* const* values, const int* lengths,
      const int* formats, int format),
     (connection, name, count, values, lengths, formats, format))
LATE(libpq, void, PQfinish, (PGconn * connection), (connection))
LATE(libpq, void, PQfreemem, (void* memory), (memory))
LATE(libpq, PGresult*, PQgetResult, (PGconn * connection), (connection))
LATE(libpq, int, PQgetisnull, (const PGresult* result, int row, int column), (result, row, column))
LATE(libpq, int, PQgetlength, (const PGresult* result, int row, int column), (result, row, column))
LATE(libpq, char*, PQgetvalue, (const PGresult* result, int row, int column), (result, row, column))
LATE(libpq, int, PQisBusy, (PGconn * connection), (connection))
LATE(libpq, PGnotify*, PQnotifies, (PGconn * connection), (connection))
LATE(libpq, int, PQntuples, (const PGresult* result), (result))
LATE(libpq, char*, PQresultErrorField, (const PGresult* result, int field), (result, field))
LATE(libpq, ExecStatusType, PQresultStatus, (const PGresult* result), (result))
LATE(libpq, PGresult*, PQprepare,
     (PGconn * connection, const char* name, const char* query, int count, const Oid* types),
     (connection, name, query, count, types))
LATE(libpq, int, PQsendQuery, (PGconn * connection, const char* query), (connection, query))
LATE(libpq, int, PQsendQueryParams,
     (PGconn * connection, const char* command, int count, const Oid* types, const char* const* values,
      const int* lengths, const int* formats, int result_format),
     (connection, command, count, types, values, lengths, formats, result_format))
LATE(libpq, PQnoticeProcessor, PQsetNoticeProcessor, (PGconn * connection, PQnoticeProcessor processor, void* argument),
     (connection, processor, argument))
LATE(libpq, int, PQsetSingleRowMode, (PGconn * connection), (connection))
LATE(libpq, int, PQsocket, (const PGconn* connection), (connection))
LATE(libpq, ConnStatusType, PQstatus, (const PGconn* connection), (connection))
#endif

#ifdef PTCVM_LATE_LIBCURL
namespace {
const ptcvm::cli::LateLibrary& libcurl() {
  static const ptcvm::cli::LateLibrary library(PTCVM_LATE_LIBCURL, PTCVM_LATE_LIBCURL_PACKAGE);
  return library;
}

// The type of a first parameter. Versions differ in whether a handle is const.
template <class Function>
struct FirstParameter;
template <class Result, class First, class... Others>
struct FirstParameter<Result (*)(First, Others...)> {
  using Type = First;
};
template <class Function>
using FirstOf = typename FirstParameter<Function>::Type;

// The kinds of values of options, in tens of thousands.
enum OptionKind { kLong = 0, kOffset = 3 };
}  // namespace

LATE(libcurl, void, curl_easy_cleanup, (CURL * handle), (handle))
LATE(libcurl, CURL*, curl_easy_init, (), ())
LATE(libcurl, CURLcode, curl_easy_pause, (CURL * handle, int mask), (handle, mask))
LATE(libcurl, CURLcode, curl_easy_perform, (CURL * handle), (handle))
LATE(libcurl, void, curl_easy_reset, (CURL * handle), (handle))
LATE(libcurl, const char*, curl_easy_strerror, (CURLcode code), (code))
LATE(libcurl, void, curl_free, (void* memory), (memory))
LATE(libcurl, CURLcode, curl_global_init, (long flags), (flags))
LATE(libcurl, CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL* handle), (multi, handle))
LATE(libcurl, CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
LATE(libcurl, CURLMsg*, curl_multi_info_read, (CURLM * multi, int* left), (multi, left))
LATE(libcurl, CURLM*, curl_multi_init, (), ())
LATE(libcurl, CURLMcode, curl_multi_perform, (CURLM * multi, int* running), (multi, running))
LATE(libcurl, CURLMcode, curl_multi_poll,
     (CURLM * multi, curl_waitfd* extra, unsigned count, int timeout_ms, int* ready),
     (multi, extra, count, timeout_ms, ready))
LATE(libcurl, CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL* handle), (multi, handle))
LATE(libcurl, CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t socket, int events, int* running),
     (multi, socket, events, running))
LATE(libcurl, CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi))
LATE(libcurl, curl_slist*, curl_slist_append, (curl_slist * list, const char* text), (list, text))
LATE(libcurl, void, curl_slist_free_all, (curl_slist * list), (list))
LATE(libcurl, CURLU*, curl_url, (), ())
LATE(libcurl, void, curl_url_cleanup, (CURLU * url), (url))
LATE(libcurl, CURLUcode, curl_url_get,
     (FirstOf<decltype(&curl_url_get)> url, CURLUPart part, char** text, unsigned flags),
     (url, part, text, flags))
LATE(libcurl, CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char* text, unsigned flags),
     (url, part, text, flags))

extern "C" CURLcode curl_easy_getinfo(CURL* handle, CURLINFO info, ...) {
  static auto* const found = libcurl().find<decltype(curl_easy_getinfo)>("curl_easy_getinfo");
  va_list rest;
  va_start(rest, info);
  void* const out = va_arg(rest, void*);
  va_end(rest);
  return found(handle, info, out);
}

extern "C" CURLcode curl_easy_setopt(CURL* handle, CURLoption option, ...) {
  static auto* const found = libcurl().find<decltype(curl_easy_setopt)>("curl_easy_setopt");
  va_list rest;
  va_start(rest, option);
  CURLcode code = CURLE_OK;
  switch (option / 10'000) {
    case kLong: code = found(handle, option, va_arg(rest, long)); break;
    case kOffset: code = found(handle, option, va_arg(rest, curl_off_t)); break;
    default: code = found(handle, option, va_arg(rest, void*)); break;   // objects, functions
  }
  va_end(rest);
  return code;
}

extern "C" CURLMcode curl_multi_setopt(CURLM* multi, CURLMoption option, ...) {
  static auto* const found = libcurl().find<decltype(curl_multi_setopt)>("curl_multi_setopt");
  va_list rest;
  va_start(rest, option);
  const CURLMcode code = option / 10'000 == kLong ? found(multi, option, va_arg(rest, long))
                                                  : found(multi, option, va_arg(rest, void*));
  va_end(rest);
  return code;
}
#endif
