// ptcvm signature: reads a signature, writes it as JSON Schema, reads one back, and holds values against it.
#include <iostream>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/source/signature_text.h"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kSignatureExamples = R"(Examples:
  ptcvm signature '(q :string, limit :int?) -> [{id :int}]'
  ptcvm signature '{name :string, age :int?}' --json-schema
  ptcvm signature --from-json-schema tool.json
  ptcvm signature '[{id :int, at :date}]' --check '[{:id "7" :at "2024-01-15"}]'
  ptcvm signature '(q :string, limit :int?) -> :any' --arguments '{"q" "x" "limt" 5}'

A signature is written on one line in its canonical form. With --check or --arguments the value goes to standard output
as it is after conversion, and what does not fit goes to standard error with its path; the status is then 1.)";

constexpr FileBound kSchemaFile{std::size_t{1} << 20, "a JSON Schema"};

struct SignatureRequest {
  std::string text, schema_file, value, arguments;
  CLI::Option *has_value = nullptr, *has_arguments = nullptr;
  bool as_schema = false;
};

std::optional<Signature> signature_of_schema(const std::string& file, int& status) {
  std::string message;
  const auto text = read_file(file, message, kSchemaFile);
  status = kBadInput;
  if (!text) {
    complain(message);
    return std::nullopt;
  }
  auto read = Signature::from_json_schema(*text);
  if (read) {
    status = kSuccess;
    return std::move(*read);
  }
  const std::string problem = json_problem(*text), why = problem.empty() ? read.error().message : problem;
  complain((file == "-" ? "<stdin>" : file) + (why.starts_with("at /") ? " " : ": ") + why);
  return std::nullopt;
}

// Reads the text, makes it fit, says what came out.
int check_value(const std::string& text, const auto& fit) {
  auto read = Value::from_edn(text);
  if (!read) {
    const Diagnostic error = *read.error().diagnostic;
    complain("the value: " + error.message + " at byte " + std::to_string(error.begin + 1));
    return kBadInput;
  }
  const SignatureFit result = fit(std::move(*read));
  for (const SignatureMismatch& mismatch : result.mismatches) {
    std::cerr << mismatch.path << ": " << mismatch.message << '\n';
  }
  if (!result.mismatches.empty()) return kProgramFailed;
  std::cout << result.value.to_edn() << '\n';
  std::cerr << (result.is_changed ? "fits after conversion\n" : "fits\n");
  return kSuccess;
}

int run_signature(const SignatureRequest& request) {
  int status = kUsage;
  const auto signature = request.schema_file.empty() ? read_signature_option("the signature", request.text)
                                                     : signature_of_schema(request.schema_file, status);
  if (!signature) return status;
  if (request.has_value->count() > 0) {
    return check_value(request.value, [&](Value value) { return signature->fit_result(std::move(value), "value"); });
  }
  if (request.has_arguments->count() > 0) {
    return check_value(request.arguments, [&](Value args) { return signature->fit_params(std::move(args)); });
  }
  std::cout << (request.as_schema ? signature->json_schema() : signature->text()) << '\n';
  return kSuccess;
}

}  // namespace

void add_signature_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("signature", "Read a signature, check values against it, JSON Schema both ways");
  auto request = std::make_shared<SignatureRequest>();
  auto* const text = command->add_option("TEXT", request->text, "The signature");
  auto* const file = command
                         ->add_option("--from-json-schema", request->schema_file,
                                      "Read JSON Schema, or the definition of a tool, instead; - is standard input")
                         ->type_name("FILE");
  command->add_flag("--json-schema", request->as_schema,
                    "Write JSON Schema: of the type, or {\"inputSchema\", \"outputSchema\"} when there are parameters");
  request->has_value = command->add_option("--check", request->value, "A value for the type, or for the result");
  request->has_value->type_name("EDN");
  request->has_arguments = command->add_option("--arguments", request->arguments, "Arguments by name, an EDN map");
  request->has_arguments->type_name("EDN");
  command->footer(kSignatureExamples);
  command->callback([request, text, file, &status] {
    if (text->count() + file->count() == 0) throw CLI::RequiredError("TEXT");
    status = run_signature(*request);
  });
}

}  // namespace ptcvm::cli
