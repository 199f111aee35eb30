#include <iostream>

#include <ptcvm/version.hpp>

int main() { std::cout << "ptcvm " << ptcvm::version() << '\n'; }
