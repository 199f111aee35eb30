// Reports for people. Everything that a tool or a model wrote is escaped, and long outputs are cut with a note.
#pragma once
#include <boost/json/object.hpp>
#include <string>

namespace ptcvm::chain {

// Take a report as ChainOutcome::report has it.
std::string report_text(const boost::json::object& report);
std::string report_markdown(const boost::json::object& report);
// Returns one page of HTML that needs no other file and runs no script.
std::string report_html(const boost::json::object& report);

}  // namespace ptcvm::chain
