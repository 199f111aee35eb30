#include <cstdio>

#include <ptcvm/version.hpp>

int main() { std::printf("ptcvm %s\n", ptcvm::version().data()); }
