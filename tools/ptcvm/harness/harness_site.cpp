#include "tools/ptcvm/harness/harness_site.h"

#include <sodium.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>

#include "agents/harness/people/conversation_json.h"
#include "agents/wire/json_number.h"
#include "harness_page_files.h"
#include "ptcvm/json.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_web_reply.h"
#include "tools/ptcvm/store/store_logs.h"

namespace ptcvm::cli {

namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds kLook{150};
constexpr std::uint64_t kLooksBetweenLines = 100;   // 15 s
constexpr std::size_t kMostIdBytes = 100;

// An id is a part of an address and of keys: letters, digits, '.', '_', '-', ':'.
bool is_conversation_id(std::string_view id) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-:").find(c) != std::string_view::npos;
  };
  return !id.empty() && id.size() <= kMostIdBytes && std::ranges::all_of(id, is_good);
}

drivers::WebReply unserved(std::string_view id) {
  return error_reply(404, is_conversation_id(id) ? "this server does not serve " + std::string(id)
                                                 : "this is no id of a conversation");
}

std::optional<drivers::WebReply> page_file(std::string_view name) {
  for (const PageFile& file : kPageFiles) {
    if (file.name != name) continue;
    std::string text(reinterpret_cast<const char*>(file.bytes), file.size);
    return drivers::WebReply{200, std::string(file.type), std::move(text), page_headers()};
  }
  return std::nullopt;
}

}  // namespace

HarnessSite::HarnessSite(const RoomHouse& house, drivers::WebGuard& guard, std::vector<std::string> only)
    : house_(house), guard_(guard), only_(std::move(only)), timer_(house.context) {}

Result<void> HarnessSite::open_named() {
  for (const std::string& id : only_) {
    if (const auto opened = room(id); !opened) return opened.error();
  }
  return {};
}

void HarnessSite::watch() {
  timer_.expires_after(kLook);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    for (const auto& [id, room] : rooms_) room->look();
    if (++looks_ % kLooksBetweenLines == 0) {
      for (const auto& [id, room] : rooms_) room->keep_open();
    }
    watch();
  });
}

bool HarnessSite::is_served(const std::string& id) const {
  return is_conversation_id(id) && (only_.empty() || std::ranges::find(only_, id) != only_.end());
}

Result<std::shared_ptr<HarnessRoom>> HarnessSite::room(const std::string& id) {
  if (const auto known = rooms_.find(id); known != rooms_.end()) return known->second;
  auto opened = HarnessRoom::open(house_, id);
  if (!opened) return opened.error();
  rooms_[id] = *opened;
  (*opened)->wake();
  return opened;
}

Result<std::vector<std::string>> HarnessSite::stored() const {
  constexpr std::size_t kPage = 500;
  std::vector<std::string> ids;
  std::string after;
  int ignored = kSuccess;
  for (std::size_t count = kPage; count == kPage;) {
    const auto page = house_.store.runs(after, kPage);
    if (!page) return page.error();
    count = page->size();
    for (const StoredRunInfo& info : *page) {
      after = info.id;
      if (!is_served(info.id)) continue;
      const auto is_one = is_conversation(house_.store, info.id);
      if (!is_one && passes_over(is_one.error(), info.id, ignored)) continue;
      if (!is_one) return is_one.error();
      if (*is_one) ids.push_back(info.id);
    }
  }
  return ids;
}

drivers::WebReply HarnessSite::list() {
  std::vector<std::string> ids = only_;
  if (ids.empty()) {
    auto found = stored();
    if (!found) return error_reply(found.error());
    ids = *std::move(found);
  }
  return json_reply({{"conversations", json::array(ids.begin(), ids.end())}, {"open", only_.empty()}});
}

drivers::WebReply HarnessSite::login(std::string_view secret, bool is_address) const {
  const auto cookie = guard_.cookie_of(secret);
  if (!cookie) return error_reply(401, "nobody has this token");
  drivers::WebReply reply = json_reply({{"ok", true}});
  if (is_address) {
    reply = drivers::WebReply{303, "text/plain", "", page_headers()};
    reply.headers.emplace_back("Location", "/");
  }
  reply.headers.emplace_back("Set-Cookie", *cookie);
  return reply;
}

void HarnessSite::handle(const drivers::WebRequest& request, const std::shared_ptr<drivers::WebExchange>& exchange) {
  if (auto refused = guard_.refuse_place(request)) return exchange->reply(*std::move(refused));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool is_file = request.path.size() <= 1 && (request.path.empty() || request.path[0] != "login");
  if (is_file && reads) {
    const std::string token = request.query_value("token");
    if (!token.empty()) return exchange->reply(login(token, true));
    auto file = page_file(request.path.empty() ? "page.html" : request.path[0]);
    return exchange->reply(file ? *std::move(file) : error_reply(404, "there is no such place"));
  }
  if (request.path.size() == 1 && request.path[0] == "login" && request.method == "POST") {
    return exchange->reply(login(request.body, false));
  }
  const bool is_rpc = request.path.size() >= 2 && request.path[0] == "a2a";
  if (is_rpc && house_.serves_a2a) return answer_rpc(request, exchange);
  if (request.path.empty() || request.path[0] != "api") {
    return exchange->reply(error_reply(404, "there is no such place"));
  }
  const auto person = guard_.person_of(request);
  if (const auto* const refused = std::get_if<drivers::WebReply>(&person)) return exchange->reply(*refused);
  answer_api(request, std::get<std::string>(person), exchange);
}

// /a2a/ID and its card, /a2a/ID/.well-known/agent-card.json, which everybody may read.
void HarnessSite::answer_rpc(const drivers::WebRequest& request,
                             const std::shared_ptr<drivers::WebExchange>& exchange) {
  const std::string& id = request.path[1];
  if (!is_served(id)) return exchange->reply(unserved(id));
  const bool is_card =
      request.path.size() == 4 && request.path[2] == ".well-known" && request.path[3] == "agent-card.json";
  if (is_card && request.method == "GET") {
    const std::string url = "http://" + std::string(request.header("host")) + "/a2a/" + id;
    return exchange->reply(json_reply(a2a::agent_card(id, url)));
  }
  if (request.path.size() != 2) return exchange->reply(error_reply(404, "there is no such place"));
  if (request.method != "POST") return exchange->reply(error_reply(405, "use POST"));
  const auto visitor = guard_.visitor_of(request);
  if (const auto* const refused = std::get_if<drivers::WebReply>(&visitor)) return exchange->reply(*refused);
  const auto rpc = a2a::read_rpc(request.body);
  if (const auto* const refused = std::get_if<json::object>(&rpc)) return exchange->reply(json_reply(*refused));
  const auto opened = room(id);
  if (!opened) return exchange->reply(error_reply(opened.error()));
  (*opened)->answer_rpc(std::get<a2a::RpcRequest>(rpc), std::get<std::string>(visitor), exchange);
}

// /api/conversations, /api/conversations/ID, /api/conversations/ID/WHAT
void HarnessSite::answer_api(const drivers::WebRequest& request, const std::string& by,
                             const std::shared_ptr<drivers::WebExchange>& exchange) {
  const auto& path = request.path;
  if (path.size() < 2 || path.size() > 5 || path[1] != "conversations") {
    return exchange->reply(error_reply(404, "there is no such place"));
  }
  if (path.size() == 2) {
    return exchange->reply(request.method == "GET" ? list() : error_reply(405, "use GET"));
  }
  if (!is_served(path[2])) return exchange->reply(unserved(path[2]));
  const auto opened = room(path[2]);
  if (!opened) return exchange->reply(error_reply(opened.error()));
  answer_room(request, by, **opened, exchange);
}

void HarnessSite::answer_room(const drivers::WebRequest& request, const std::string& by, HarnessRoom& room,
                              const std::shared_ptr<drivers::WebExchange>& exchange) {
  const auto& path = request.path;
  if (request.method == "GET") {
    room.look();
    if (path.size() == 3) return exchange->reply(json_reply(room.shown()));
    if (path.size() == 4 && path[3] == "journal") return exchange->reply(journal(room));
    if (path.size() == 4 && path[3] == "events") return room.join(exchange, request.header("last-event-id"));
    if (path.size() == 5 && path[3] == "attachments") return exchange->reply(attachment(room, path[4]));
    return exchange->reply(error_reply(404, "there is no such place"));
  }
  if (request.method != "POST") return exchange->reply(error_reply(405, "use GET or POST"));
  if (path.size() != 4) return exchange->reply(error_reply(404, "there is no such action"));
  if (!request.header("content-type").starts_with("application/json")) {
    return exchange->reply(error_reply(415, "the body must be application/json"));
  }
  boost::system::error_code error;
  const json::value body = json::parse(request.body, error);
  if (error || !body.is_object()) return exchange->reply(error_reply(400, "the body must be a JSON object"));
  if (wire::has_infinite(body)) {
    return exchange->reply(error_reply(400, "a number of the body is beyond the largest float"));
  }
  if (const std::string doubled = doubled_member(request.body); !doubled.empty()) {
    return exchange->reply(error_reply(400, "the member " + doubled + " of the body is written twice"));
  }
  room.act(path[3], body.get_object(), by, exchange);
}

drivers::WebReply HarnessSite::journal(const HarnessRoom& room) {
  Result<json::array> facts = harness::journal_json(room.conversation());
  return facts ? json_reply({{"facts", *std::move(facts)}}) : error_reply(facts.error());
}

// The browser saves an attachment and never shows it, whatever its type says.
drivers::WebReply HarnessSite::attachment(const HarnessRoom& room, const std::string& name) {
  const harness::Fact* const fact = room.conversation().view().attachment(name);
  if (fact == nullptr) return error_reply(404, "there is no attachment of this name");   // whose bytes may be no text
  const std::string_view base64 = harness::text_of(fact->body, "bytes");
  std::string bytes(base64.size(), '\0');
  std::size_t size = 0;
  const int failed = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), base64.data(),
                                       base64.size(), " \r\n", &size, nullptr, sodium_base64_VARIANT_ORIGINAL);
  if (failed != 0) return error_reply(409, "the bytes of the attachment are no base64");
  bytes.resize(size);
  drivers::WebReply reply{200, "application/octet-stream", std::move(bytes), page_headers()};
  reply.headers.emplace_back("Content-Disposition", "attachment");
  return reply;
}

}  // namespace ptcvm::cli
