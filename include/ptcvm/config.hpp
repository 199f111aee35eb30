// What the other public headers share: how symbols are exported.
#pragma once

// A class with PTCVM_API exports its nested classes, too, unless their definitions say PTCVM_HIDDEN.
#if defined(__GNUC__)
#define PTCVM_API __attribute__((visibility("default")))     // belongs to the library's interface
#define PTCVM_HIDDEN __attribute__((visibility("hidden")))   // does not, although it lies in a class that does
#else
#define PTCVM_API
#define PTCVM_HIDDEN
#endif
