// Loads documents over HTTP for `ptcvm harness`.
#pragma once
#include <boost/json/object.hpp>
#include <string>

#include "ptcvm/result.hpp"

namespace ptcvm::cli {

// Returns the JSON object of a URL of http or https, and waits for it. Errors: invalid_value for another URL or another
// document; too_large from 1.5 MB on; not_available when nobody answers, or this ptcvm has no libcurl.
Result<boost::json::object> fetch_document(const std::string& url);

}  // namespace ptcvm::cli
