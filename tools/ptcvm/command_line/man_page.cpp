#include "tools/ptcvm/command_line/man_page.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "schema/version.h"
#include "tools/ptcvm/command_line/command_tree.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kExamplesHead = "Examples:";
constexpr std::string_view kExitStatus = "Exit status: ";

// Text as troff prints it: its quotes, dashes and carets are typographic ones unless they are asked for by name.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  if (out.starts_with('.')) out.insert(0, "\\&");       // a dot in front of a line would be a request
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + troff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + troff(text) + "\\fR"; }

std::string full_name(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? app.get_name() : full_name(app, *command.get_parent()) + " " + command.get_name();
}

// What the text under a command's help is made of.
struct Footer {
  std::vector<std::string> examples;                     // lines
  std::vector<std::vector<std::string>> paragraphs;      // of lines
  std::string exit_status;
};

Footer footer_of(const CLI::App& command) {
  Footer footer;
  std::istringstream text(command.get_footer());
  bool in_examples = false, in_exit_status = false, begins = true;
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) {
      in_examples = in_exit_status = false;
      begins = true;
      continue;
    }
    if (line == kExamplesHead) {
      in_examples = true;
    } else if (in_examples) {
      footer.examples.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    } else if (in_exit_status || line.starts_with(kExitStatus)) {
      footer.exit_status += in_exit_status ? " " + line : line.substr(kExitStatus.size());
      in_exit_status = true;
    } else {
      if (begins) footer.paragraphs.emplace_back();
      footer.paragraphs.back().push_back(line);
    }
    begins = false;
  }
  return footer;
}

// Adds lines as they are; JSON in the middle of a paragraph, too.
void add_literal(std::string& page, const std::vector<std::string>& lines) {
  page += ".nf\n";
  for (const std::string& line : lines) page += troff(line) + "\n";
  page += ".fi\n";
}

void add_paragraph(std::string& page, const std::vector<std::string>& lines) {
  page += ".PP\n";
  for (const std::string& line : lines) {
    if (line.starts_with('{')) {
      add_literal(page, {line});
    } else {
      page += troff(line) + "\n";
    }
  }
}

std::string joined_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;                        // the set is in the order of addresses
  for (const CLI::Option* option : options) {
    names.push_back(option->get_positional() ? option->get_single_name() : names_of(*option).front());
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string remarks(const CLI::Option& option) {
  std::string text;
  if (!option.get_envname().empty()) text += " Without it, the variable " + option.get_envname() + " counts.";
  if (!option.get_needs().empty()) text += " Needs " + joined_names(option.get_needs()) + ".";
  if (!option.get_excludes().empty()) text += " Not together with " + joined_names(option.get_excludes()) + ".";
  return text;
}

std::string description(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string more = remarks(option);
  if (!more.empty() && !text.ends_with('.')) text += '.';
  return troff(text + more);
}

bool repeats(const CLI::Option& option) { return option.get_expected_max() > 1; }

void add_option(std::string& page, const CLI::Option& option) {
  page += ".TP\n";
  std::string names;
  for (const std::string& name : names_of(option)) names += (names.empty() ? "" : ", ") + bold(name);
  page += names;
  if (option.get_type_size() != 0) page += " " + italic(option.get_type_name());
  if (repeats(option)) page += " ...";
  page += "\n" + description(option) + "\n";
}

void add_synopsis(std::string& page, const CLI::App& app, const CLI::App& command) {
  page += bold(full_name(app, command));
  if (!options_of(command).empty()) page += " [" + italic("OPTIONS") + "]";
  if (!parts_of(command).empty()) page += " " + italic("COMMAND");
  for (const CLI::Option* positional : positionals_of(command)) {
    const std::string name = italic(positional->get_single_name()) + (repeats(*positional) ? " ..." : "");
    page += positional->get_required() ? " " + name : " [" + name + "]";
  }
  page += "\n";
}

void add_options(std::string& page, const CLI::App& command) {
  for (const CLI::Option* positional : positionals_of(command)) {
    page += ".TP\n" + italic(positional->get_single_name()) + "\n" + description(*positional) + "\n";
  }
  for (const CLI::Option* option : options_of(command)) add_option(page, *option);
}

void add_commands_of_program(std::string& page, const CLI::App& app) {
  page += ".SH COMMANDS\n";
  for (const CLI::App* part : parts_of(app)) {
    page += ".TP\n" + bold(part->get_name()) + "\n" + troff(part->get_description()) + "\n";
  }
}

void add_parts(std::string& page, const CLI::App& app, const CLI::App& command) {
  page += ".SH COMMANDS\n";
  for (const CLI::App* part : parts_of(command)) {
    page += ".SS " + troff(part->get_name()) + "\n";
    add_synopsis(page, app, *part);
    page += ".PP\n" + troff(part->get_description()) + "\n";
    add_options(page, *part);
  }
}

void add_see_also(std::string& page, const CLI::App& app, const CLI::App& command) {
  page += ".SH SEE ALSO\n";
  if (&command != &app) {
    page += ".BR ptcvm (1)\n";
    return;
  }
  const auto parts = parts_of(app);
  for (const CLI::App* part : parts) {
    page += ".BR " + troff(man_page_name(app, *part)) + (part == parts.back() ? " (1)\n" : " (1),\n");
  }
}

}  // namespace

std::string man_page_name(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? app.get_name() : app.get_name() + "-" + command.get_name();
}

std::string man_page(const CLI::App& app, const CLI::App& command) {
  std::string title = man_page_name(app, command);
  const std::string name = troff(title);
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  const Footer footer = footer_of(command);
  // No date: the same sources give the same page.
  std::string page = ".TH " + troff(title) + " 1 \"\" \"ptcvm " + ptc::kEngineVersion + "\" \"User Commands\"\n";
  page += ".SH NAME\n" + name + " \\- " + troff(command.get_description()) + "\n.SH SYNOPSIS\n";
  add_synopsis(page, app, command);
  page += ".SH DESCRIPTION\n" + troff(command.get_description()) + "\n";
  for (const auto& paragraph : footer.paragraphs) add_paragraph(page, paragraph);
  page += ".SH OPTIONS\n";
  add_options(page, command);
  if (&command == &app) {
    add_commands_of_program(page, app);
  } else if (!parts_of(command).empty()) {
    add_parts(page, app, command);
  }
  if (!footer.examples.empty()) {
    page += ".SH EXAMPLES\n";
    add_literal(page, footer.examples);
  }
  if (!footer.exit_status.empty()) page += ".SH \"EXIT STATUS\"\n" + troff(footer.exit_status) + "\n";
  add_see_also(page, app, command);
  return page;
}

}  // namespace ptcvm::cli
