// How fast the streams of models are read: bytes of events a second on one core, protocol by protocol and mixed.
//
//   ptc_stream_bench [--megabytes N]
//
// A stream is read as a driver reads it: 16 KiB at a time, with the text so far taken after each piece, and the whole
// reply at the end. Events have the members that the servers of today send. Times are processor time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/reply_reader.h"

namespace {

using ptcvm::wire::Protocol;
using ptcvm::wire::ReplyReader;

constexpr std::size_t kPieceBytes = 16u << 10, kStreamBytes = 4u << 20;
constexpr int kRounds = 5;
constexpr double kMust = 200;   // megabytes a second

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// One protocol: what a stream begins with, an event with a piece of text, and what ends it.
struct Stream {
  Protocol protocol;
  std::string head, before_text, after_text, tail;
};

Stream chat_stream() {
  const std::string begin =
      R"(data: {"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk","created":1741570283,)"
      R"("model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_fc9f1d7035",)"
      R"("choices":[{"index":0,)";
  return {Protocol::Chat, begin + "\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n",
          begin + "\"delta\":{\"content\":\"", "\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\n\n",
          begin + "\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"};
}

Stream responses_stream() {
  const std::string item =
      R"("item":{"id":"msg_67c9fdcf37fc8190ba82116e33fb28c5","type":"message","status":"in_progress",)"
      R"("role":"assistant","content":[]}})";
  const std::string created = R"({"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":)"
                              R"("in_progress","output":[]}})";
  const std::string message = R"({"id":"msg_1","type":"message","status":"completed","role":"assistant","content":)"
                              R"([{"type":"output_text","text":"the end","annotations":[]}]})";
  const std::string completed = R"({"type":"response.completed","sequence_number":9,"response":{"id":"resp_1",)"
                                R"("status":"completed","output":[)" + message +
                                R"(],"usage":{"input_tokens":37,"output_tokens":11,"total_tokens":48}}})";
  return {Protocol::Responses,
          "event: response.created\ndata: " + created +
              "\n\nevent: response.output_item.added\ndata: {\"type\":\"response.output_item.added\","
              "\"sequence_number\":2,\"output_index\":0," + item + "\n\n",
          "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,"
          "\"item_id\":\"msg_67c9fdcf37fc8190ba82116e33fb28c5\",\"output_index\":0,\"content_index\":0,\"delta\":\"",
          "\",\"logprobs\":[],\"obfuscation\":\"dFAIWZHcbmNZm\"}\n\n",
          "event: response.completed\ndata: " + completed + "\n\n"};
}

Stream messages_stream() {
  return {Protocol::Messages,
          "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\","
          "\"role\":\"assistant\",\"content\":[],\"model\":\"claude-sonnet-4-5\",\"stop_reason\":null,\"usage\":"
          "{\"input_tokens\":25,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":"
          "\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
          "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
          "\"text_delta\",\"text\":\"",
          "\"}}\n\n",
          "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\n"
          "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":"
          "{\"output_tokens\":15}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"};
}

std::string bytes_of(const Stream& stream) {
  constexpr std::string_view kWords[] = {" the", " answer", " is", " written", " in", " words", " that", "\\n"};
  std::string bytes = stream.head;
  for (std::size_t i = 0; bytes.size() < kStreamBytes; ++i) {
    bytes.append(stream.before_text).append(kWords[i % std::size(kWords)]).append(stream.after_text);
  }
  return bytes + stream.tail;
}

void read_whole(Protocol protocol, std::string_view bytes) {
  ReplyReader reader({protocol, true, 200, {}});
  std::size_t text = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    reader.feed(bytes.substr(at, kPieceBytes));
    text += reader.new_text().size();
  }
  const ptcvm::wire::Reply reply = reader.finish(ReplyReader::End::Proper, 0);
  if (reply.is_complete && !reply.error && text > 0) return;
  std::fprintf(stderr, "ptc_stream_bench: a stream was not read: %s\n",
               reply.error ? reply.error->message.c_str() : "it is not complete");
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t megabytes = 64;
  if (argc == 3 && std::strcmp(argv[1], "--megabytes") == 0) megabytes = std::strtoull(argv[2], nullptr, 10);
  const std::vector<Stream> streams = {chat_stream(), responses_stream(), messages_stream()};
  double sum_bytes = 0, sum_seconds = 0;
  for (const Stream& stream : streams) {
    const std::string bytes = bytes_of(stream);
    const std::size_t times = std::max<std::size_t>(1, (megabytes << 20) / bytes.size() / streams.size());
    double best = 1e18;
    for (int round = 0; round < kRounds; ++round) {
      const double begin = processor_seconds();
      for (std::size_t i = 0; i < times; ++i) read_whole(stream.protocol, bytes);
      best = std::min(best, processor_seconds() - begin);
    }
    const double read = static_cast<double>(times * bytes.size()) / 1e6;
    std::printf("%-12s %8.0f MB/s\n", std::string(ptcvm::wire::protocol_name(stream.protocol)).c_str(), read / best);
    sum_bytes += read;
    sum_seconds += best;
  }
  std::printf("%-12s %8.0f MB/s   must %g\n", "all three", sum_bytes / sum_seconds, kMust);
}
