// Does what the sanitizers have to end: the test of the same name sees that they do.
#include <climits>
#include <cstring>
#include <memory>

int main(int argc, char** argv) {
  const auto numbers = std::make_unique<int[]>(4);
  volatile int index = argc == 2 && std::strcmp(argv[1], "overflow") == 0 ? 3 : 4;
  if (index == 4) return numbers[static_cast<unsigned>(index)];   // one behind the last
  volatile int largest = INT_MAX;
  return largest + index;
}
