// How closely a test looks at a long row of places or rounds. The release build tries them all. A sanitizer sees a path
// when it is taken once, and is several times slower, so a sanitized build tries one in seven; 7 is a prime, so the
// tries fall on every kind of place.
#pragma once

namespace ptc {

#ifdef PTC_SANITIZED
inline constexpr unsigned kSweepStep = 7;
#else
inline constexpr unsigned kSweepStep = 1;
#endif

}  // namespace ptc
