#include "fuzz/seed_sources.h"

namespace ptc::fuzz {

void add_store_seeds(SeedFolder&) {}

}  // namespace ptc::fuzz
