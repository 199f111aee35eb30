// Macros that say which symbols the library exports. All other public headers include this file.
#pragma once

// A class with PTCVM_API exports its nested classes, too, unless their definitions say PTCVM_HIDDEN.
#if defined(__GNUC__)
#define PTCVM_API __attribute__((visibility("default")))     // exports a symbol of the library
#define PTCVM_HIDDEN __attribute__((visibility("hidden")))   // hides a member of an exported class
#else
#define PTCVM_API
#define PTCVM_HIDDEN
#endif
