// Stores that --store names by a URL of PostgreSQL. Without libpq at build time, every call says so.
#pragma once
#include <string>
#include <string_view>

#include "ptcvm/store.hpp"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Returns whether the text is a URL of PostgreSQL, and not the path of a file.
bool is_postgres_url(std::string_view text);
// Returns the text as messages show it: without the passwords of a URL.
std::string shown_place(std::string_view text);

// Opens the store that options.path names. Returns nullopt when the store cannot be opened; `message` then says why,
// and `status` is what the command ends with.
std::optional<Store> open_postgres_place(const StoreOptions& options, std::string& message, int& status);

// What `ptcvm store` does. Each writes to standard output or, what goes wrong, to standard error, and returns the exit
// status.
int migrate_place(const std::string& url);
int check_place(const std::string& url);
int print_sql();

}   // namespace ptcvm::cli
