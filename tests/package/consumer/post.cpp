// The exporter of traces, as far as it goes without a network.
#include <iostream>

#include <ptcvm/otel.hpp>
#include <ptcvm/version.hpp>

int main() {
  ptcvm::OtlpOptions options;
  options.endpoint = "nowhere";
  ptcvm::OtlpExporter exporter(options);
  const auto error = exporter.send("{}");
  std::cout << (error && error->kind == ptcvm::OtlpError::Kind::BadOptions ? "refused by " : "posted by ")
            << ptcvm::version() << '\n';
}
