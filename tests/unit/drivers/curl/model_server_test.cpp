#include "drivers/curl/model_server.h"

#include <gtest/gtest.h>

#include <map>

namespace ptcvm::drivers {
namespace {

std::variant<ModelServer, std::string> read(std::string_view address,
                                            std::map<std::string, std::string> variables = {}) {
  return read_model_address(address, [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

HttpRequest request(std::string_view address, std::map<std::string, std::string> variables = {}) {
  return model_request(std::get<ModelServer>(read(address, std::move(variables))), "{}");
}

TEST(ModelServer, AnAddressHasProtocolNameAndUrl) {
  EXPECT_EQ(request("chat:gpt").url, "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(request("responses:gpt").url, "https://api.openai.com/v1/responses");
  EXPECT_EQ(request("messages:claude").url, "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(request("chat:llama3:8b@http://localhost:11434/v1/").url, "http://localhost:11434/v1/chat/completions");
  EXPECT_EQ(std::get<ModelServer>(read("chat:org/name@v2@http://h/")).model, "org/name@v2");
}

TEST(ModelServer, TheEnvironmentHasTheRest) {
  const std::map<std::string, std::string> variables = {
      {"OPENAI_BASE_URL", "http://o/v1"}, {"OPENAI_API_KEY", "o-key"}, {"ANTHROPIC_BASE_URL", "http://a"},
      {"ANTHROPIC_API_KEY", "a-key"}, {"PTCVM_MODEL_HEADERS", "X-A: 1\nX-B:2"}, {"SSL_CERT_FILE", "own.pem"}};
  const HttpRequest chat = request("chat:gpt", variables);
  EXPECT_EQ(chat.url, "http://o/v1/chat/completions");
  EXPECT_EQ(chat.secret->name + ": " + chat.secret->prefix + chat.secret->value(), "Authorization: Bearer o-key");
  EXPECT_EQ(chat.headers, (wire::Headers{{"X-A", "1"}, {"X-B", "2"}}));
  EXPECT_EQ(chat.authorities_file, "own.pem");
  const HttpRequest messages = request("messages:claude", variables);
  EXPECT_EQ(messages.url, "http://a/v1/messages");
  EXPECT_EQ(messages.secret->name + ": " + messages.secret->prefix + messages.secret->value(), "x-api-key: a-key");
  EXPECT_EQ(wire::header(messages.headers, "anthropic-version"), "2023-06-01");
}

TEST(ModelServer, TheKeyOfTheHostGoesBeforeTheKeyOfTheProvider) {
  EXPECT_EQ(request("chat:m@http://h", {{"OPENAI_API_KEY", "o"}, {"PTCVM_MODEL_KEY", "p"}}).secret->value(), "p");
}

TEST(ModelServer, AnAddressThatCannotBeReadIsExplained) {
  for (const std::string_view address : {"gpt", "soap:gpt", "chat"}) {
    EXPECT_NE(std::get<std::string>(read(address)).find("write chat:NAME"), std::string::npos) << address;
  }
  EXPECT_EQ(std::get<std::string>(read("chat:")), "\"chat:\" names no model behind the colon");
}

}  // namespace
}  // namespace ptcvm::drivers
