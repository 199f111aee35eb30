// Runs as snapshots.
#include <utility>

#include "api/errors.h"
#include "api/octets.h"
#include "api/run_impl.h"
#include "api/sealing_access.h"
#include "vm/snapshot/snapshot_memory.h"
#include "vm/snapshot/snapshot_pieces.h"

namespace ptcvm {
namespace {

// Hands pieces to a sink of the host, until the sink takes no more.
class HostSink final : public ptc::SnapshotSink {
 public:
  explicit HostSink(const ByteSink& sink) : sink_(sink) {}
  void append(std::span<const std::uint8_t> more) override {
    takes_more = takes_more && sink_(std::as_bytes(more));
  }
  bool takes_more = true;

 private:
  const ByteSink& sink_;
};

// Hands the pieces of the snapshot to a function; a small one is one piece.
template <class Use>
auto with_pieces(const ptc::Session& session, const ptc::SnapshotOptions& options, const Use& use) {
  if (const auto pieces = session.large_snapshot(options)) return use(*pieces);
  const std::vector<std::uint8_t> bytes = session.snapshot(options);
  return use(ptc::OnePiece(bytes));
}

}  // namespace

std::vector<std::byte> Run::snapshot(bool self_contained) const {
  ptc::SnapshotVector<std::byte> out;
  impl_->awake().write_snapshot({self_contained}, out);
  return std::move(out).take();
}

std::string Run::snapshot_json() const { return impl_->awake().snapshot_json(); }

bool Run::write_snapshot(const ByteSink& sink, bool self_contained) const {
  HostSink out(sink);
  with_pieces(impl_->awake(), {self_contained}, [&out](const ptc::SnapshotPieces& pieces) { pieces.write(out); });
  return out.takes_more;
}

Result<void> Run::write_sealed_snapshot(const ByteSink& sink, const KeyRing& keys, const SealLabel& label,
                                        bool self_contained) const {
  const auto write = [&](const ptc::SnapshotPieces& pieces) -> Result<void> {
    auto edges = edges_around(pieces, keys, label);
    if (!edges) return std::move(edges).error();
    HostSink out(sink);
    out.append(edges->before);
    pieces.write(out);
    out.append(edges->behind);
    if (!out.takes_more) return host_error(Errc::store_failed, "the sealed snapshot was not written");
    return {};
  };
  return with_pieces(impl_->awake(), {self_contained}, write);
}

}  // namespace ptcvm
