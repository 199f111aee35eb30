#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz wants them: programs, NAME_seed_corpus.zip and NAME.dict in $OUT.
#
# OSS-Fuzz sets CXX, CXXFLAGS, LIB_FUZZING_ENGINE, SRC and OUT. Sanitizers come with CXXFLAGS, so the project's own
# stay off. RE2 and Boost are the distribution's, which are built with libstdc++: libc++ is taken out of the flags, and
# the shared libraries go beside the programs, because the image that runs them has none.
set -euo pipefail
cd "${PTC_SOURCE:-$SRC/ptcvm}"
work=${WORK:-$(mktemp -d)}
flags=${CXXFLAGS//-stdlib=libc++/}

cmake -S . -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$flags" \
  -DCMAKE_EXE_LINKER_FLAGS='-Wl,-rpath,$ORIGIN/lib' \
  -DPTC_BUILD_TESTS=OFF -DPTC_BUILD_SHARED=OFF -DPTC_DISPATCH=switch \
  -DPTC_FUZZ=ON -DPTC_FUZZ_ENGINE="$LIB_FUZZING_ENGINE"
ninja -C "$work/build" ptc_fuzz_targets ptc_fuzz_seeds
"$work/build/tests/fuzz/ptc_fuzz_seeds" . "$work/seeds"

mkdir -p "$OUT/lib"
for program in "$work"/build/fuzz/ptc_fuzz_*; do
  name=${program##*/}
  target=${name#ptc_fuzz_}
  cp "$program" "$OUT/"
  ldd "$program" | awk '/=> \/.*(re2|sodium|utf8proc|sqlite3|boost|icu)/ {print $3}' | xargs -r cp -L -t "$OUT/lib"
  if [[ -f $work/seeds/$target.dict ]]; then cp "$work/seeds/$target.dict" "$OUT/$name.dict"; fi
  if [[ -d $work/seeds/seeds/$target ]]; then
    (cd "$work/seeds/seeds/$target" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
  fi
done
