// What the other public headers share: how symbols are exported.
#pragma once

#if defined(__GNUC__)
#define PTCVM_API __attribute__((visibility("default")))
#else
#define PTCVM_API
#endif
