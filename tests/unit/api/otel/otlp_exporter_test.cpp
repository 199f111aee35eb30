// The exporter without a collector; with one: tests/cli/trace_test.py.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "ptcvm/otel.hpp"

namespace ptcvm {
namespace {

OtlpOptions options_for(std::string endpoint) {
  OtlpOptions options;
  options.endpoint = std::move(endpoint);
  options.most_attempts = 3;
  options.backoff_ms = 1;
  options.seed = 7;
  return options;
}

// A port of the loopback that is taken and on which nobody listens.
class DeafPort {
 public:
  DeafPort() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~DeafPort() { close(socket_); }
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_;
  unsigned port_ = 0;
};

TEST(OtlpExporter, sends_nothing_to_what_is_no_endpoint) {
  for (const char* endpoint : {"", "localhost", "file:///etc/hostname", "ftp://localhost/", "http://",
                               "http://a b/"}) {
    const auto error = OtlpExporter(options_for(endpoint)).send("{}");
    ASSERT_TRUE(error.has_value()) << endpoint;
    EXPECT_EQ(error->kind, OtlpError::Kind::BadOptions) << endpoint;
    EXPECT_EQ(error->attempts, 0u) << endpoint;
  }
}

TEST(OtlpExporter, refuses_headers_that_would_be_others) {
  const DeafPort port;
  const std::pair<std::string, std::string> bad[] = {{"", "v"}, {"a:b", "v"}, {"a b", "v"}, {"a", "v\r\nx: y"},
                                                   {"a\n", "v"}};
  for (const auto& header : bad) {
    OtlpOptions options = options_for(port.url());
    options.headers = {header};
    const auto error = OtlpExporter(options).send("{}");
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind, OtlpError::Kind::BadOptions);
    EXPECT_EQ(error->message.find(header.second), std::string::npos);    // it may be a key
  }
}

TEST(OtlpExporter, tries_again_when_nobody_answers_but_not_forever) {
  const DeafPort port;
  OtlpExporter exporter(options_for(port.url()));
  for (int k = 0; k < 2; ++k) {
    const auto error = exporter.send("{}");
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind, OtlpError::Kind::Unavailable);
    EXPECT_EQ(error->attempts, 3u);
    EXPECT_EQ(error->http_status, 0u);
    EXPECT_FALSE(error->message.empty());
  }
}

TEST(OtlpExporter, that_was_moved_from_says_so) {
  OtlpExporter exporter(options_for("http://localhost"));
  const OtlpExporter taken(std::move(exporter));
  EXPECT_EQ(exporter.send("{}")->kind, OtlpError::Kind::Broken);    // NOLINT: it is what is tested
}

TEST(OtlpExporter, exporters_of_several_threads_begin_together) {
  const DeafPort port;
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) {
    threads.emplace_back([&port] {
      OtlpOptions options = options_for(port.url());
      options.most_attempts = 1;
      const auto error = OtlpExporter(options).send("{}");
      EXPECT_EQ(error->kind, OtlpError::Kind::Unavailable);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ptcvm
