# A bare Debian in a folder of its own, for tools/check-fresh and tools/check-package, which source this file. They
# run as root in a mount namespace of their own, so mounts inside the root are seen by nobody else.
#
# A function that fails says on standard error what went wrong, and ends the script.
# shellcheck shell=bash
BARE_SUITE=bookworm
BARE_STEP_LOG=
BARE_ROOT=
BARE_CHILD=

# A signal may come while the output of this script goes to a log; messages go to where the script began.
exec {BARE_OUT}>&1 {BARE_ERR}>&2
say() { printf '[%4ds] %s\n' "$SECONDS" "$*" >&"$BARE_OUT"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&"$BARE_ERR"; exit 1; }

# Starts the calling script again in a mount namespace of its own: bare_namespace "$@"
bare_namespace() {
  [[ $(id -u) -eq 0 ]] || die "debootstrap and chroot need root; run it as root or with sudo"
  command -v debootstrap >/dev/null || die "debootstrap is not installed; run: apt-get install debootstrap"
  [[ -z ${BARE_NAMESPACE:-} ]] || return 0
  export BARE_NAMESPACE=1
  exec unshare --mount --propagation private -- "$0" "$@"
}

# Prints the mirror from which this machine installs Debian 12.
bare_mirror() {
  local suites="" uris="" suite line
  {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
      sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]+) +([^ ]+) .*/\2 \3/p'
    for line in /etc/apt/sources.list.d/*.sources; do
      [[ -f $line ]] || continue
      { cat "$line"; echo; } | while IFS= read -r line; do
        case $line in
          URIs:*) read -r uris <<<"${line#URIs:}" ;;
          Suites:*) suites=${line#Suites:} ;;
          '')
            for suite in $suites; do printf '%s %s\n' "${uris%% *}" "$suite"; done
            uris='' suites=''
            ;;
        esac
      done
    done
  } | awk -v suite="$BARE_SUITE" '$2 == suite { print $1; exit }'
}

# Runs a command in the root. The command sees only these variables of the environment.
bare_inside() {
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${no_proxy:+no_proxy="$no_proxy"} ${BARE_CCACHE:+CCACHE_DIR=/ccache} chroot "$BARE_ROOT" "$@"
}

# Runs a command in a process group of its own and waits, so that a signal ends this script at once, and the command
# with it (bare_unmount).
bare_run() {
  local status=0
  set -m
  "$@" &
  BARE_CHILD=$!
  set +m
  wait "$BARE_CHILD" || status=$?
  BARE_CHILD=
  return "$status"
}

# Runs a step whose output is of interest only when the step fails.
bare_step() {  # WHAT COMMAND …
  local what=$1
  shift
  say "$what"
  bare_run "$@" >"$BARE_STEP_LOG" 2>&1 </dev/null || { tail -n 20 "$BARE_STEP_LOG" >&2; die "this step failed: $what"; }
}

# Proxies, credentials and certificates by which this machine reaches its mirror.
bare_copy_apt_settings() {
  local file
  cp /etc/resolv.conf "$BARE_ROOT/etc/resolv.conf"
  apt-config dump | grep -E '^Acquire::(http|https|ftp|Check-|Retries|Max-ValidTime)[^ ]* "' \
    >"$BARE_ROOT/etc/apt/apt.conf.d/90host" || true
  for file in /etc/apt/auth.conf /etc/apt/auth.conf.d/*.conf; do
    [[ ! -f $file ]] || install -D -m 600 "$file" "$BARE_ROOT$file"
  done
  for file in /usr/local/share/ca-certificates/*.crt; do
    [[ ! -f $file ]] || install -D -m 644 "$file" "$BARE_ROOT$file"
  done
}

# Makes the root in FOLDER, which must be empty or absent, and mounts what programs expect.
bare_make() {  # FOLDER MIRROR
  local mirror=${2:-$(bare_mirror)}
  [[ ! -e $1 || -z $(ls -A "$1") ]] || die "$1 is not empty; name a folder that does not exist yet"
  mkdir -p "$1"
  BARE_ROOT=$(realpath "$1")
  [[ -n $mirror ]] || die "nothing in /etc/apt/sources.list and /etc/apt/sources.list.d names a mirror of $BARE_SUITE"
  BARE_STEP_LOG=$BARE_ROOT.step.log
  chmod 755 "$BARE_ROOT"               # apt and man work as users of their own
  bare_step "a bare $BARE_SUITE from $(sed 's|//[^/@]*@|//|' <<<"$mirror")" \
    debootstrap --variant=minbase "$BARE_SUITE" "$BARE_ROOT" "$mirror"
  bare_copy_apt_settings
  mount -t proc proc "$BARE_ROOT/proc"
  mount -t sysfs -o ro sysfs "$BARE_ROOT/sys" 2>/dev/null || true      # some containers refuse
  mkdir -p "$BARE_ROOT/dev/pts" "$BARE_ROOT/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$BARE_ROOT/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$BARE_ROOT/dev/shm"
}

bare_install() {  # WHAT PACKAGE …
  local what=$1
  shift
  bare_step "$what" bare_inside env DEBIAN_FRONTEND=noninteractive \
    sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"' - "$@"
}

# Ends what still runs in the root.
bare_end_processes() {
  local process
  [[ -z $BARE_CHILD ]] || kill -KILL -- "-$BARE_CHILD" 2>/dev/null || true
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/root" 2>/dev/null) == "$BARE_ROOT" ]] || continue
    kill -KILL "${process#/proc/}" 2>/dev/null || true
  done
}

# Ends what still runs in the root, and unmounts what lies in it.
bare_unmount() {
  local place
  [[ -n $BARE_ROOT ]] || return 0
  bare_end_processes
  while read -r place; do umount "$place" || umount --lazy "$place" || true; done < <(bare_mounts | sort -r)
}
bare_mounts() { awk -v root="$BARE_ROOT/" 'index($5, root) == 1 { print $5 }' /proc/self/mountinfo; }

# Deletes the root, but never through a mount.
bare_remove() {
  [[ -n $BARE_ROOT ]] || return 0
  bare_unmount
  [[ -z $(bare_mounts) ]] || die "these folders could not be unmounted, so $BARE_ROOT stays: $(bare_mounts | xargs)"
  rm -rf --one-file-system "$BARE_ROOT" "$BARE_STEP_LOG"
}
