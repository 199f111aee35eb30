// The random numbers of the generator of programs, for tests.
#pragma once
#include "tools/generator/random.h"

namespace ptc::test {

using generator::Random;

}  // namespace ptc::test
