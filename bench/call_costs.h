// What a committed task with one keyed call costs on SQLite in sync mode: transactions, calls of the store and time.
// The sequence of calls before writes told what others wrote (decision 0016) runs beside the one of now, task by
// task; then a durable run does the same.
#pragma once
#include <string>

// Prints its figures. Makes files in the folder.
void compare_calls(const std::string& folder);
