# Shared by ./bench and tests/run: packages and builds. Sourced, not run. Speaks on standard error.

build_packages=(g++ cmake ninja-build libcxxopts-dev libyaml-cpp-dev libsqlite3-dev libcurl4-openssl-dev
  nlohmann-json3-dev libfmt-dev libsimdjson-dev zlib1g-dev)
test_packages=(libgtest-dev libbenchmark-dev clang-format-14 clang-tidy-14 git python3)
# What bench also uses where it is there: several hosts.
optional_packages=(libopenmpi-dev openmpi-bin)

say() { printf 'bench: %s\n' "$*" >&2; }

# need_packages PACKAGE...: installs what is missing, or says exactly what to ask for.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null && return 0  # not Debian: CMake names what it misses
    say "needs these packages (Debian's names): $*"
    return 2
  fi
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return 0
  local root=()
  if [[ $(id -u) -ne 0 ]]; then
    if sudo -n true 2>/dev/null; then
      root=(sudo)
    else
      say "needs root once, to install: sudo apt-get update && sudo apt-get install ${missing[*]}"
      return 2
    fi
  fi
  local log
  log=$(mktemp)
  say "installing, which can take minutes (progress in $log): ${missing[*]}"
  # A new cloud machine installs its own updates first, hence the wait for apt's lock. sudo passes no
  # variables on, hence env.
  "${root[@]}" apt-get update >>"$log" 2>&1 </dev/null || say "apt-get update failed; trying with the lists at hand"
  logged "$log" "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=600 "${missing[@]}" </dev/null || return 2
  rm -f "$log"
}

# logged LOG COMMAND...: runs it quietly; shows the end of the log when it fails.
logged() {
  local log=$1
  shift
  "$@" >>"$log" 2>&1 || { tail -n 40 "$log" >&2; say "failed: $* (all of it: $log)"; return 3; }
}

# configure HOME PRESET [CMAKE ARGUMENT...]
configure() {
  local home=$1 preset=$2
  shift 2
  mkdir -p "$home/build"
  : >"$home/build/$preset.log"
  (cd "$home" && logged "build/$preset.log" cmake --preset "$preset" "$@")
}

# build HOME PRESET TARGET...
build() {
  local home=$1 preset=$2
  shift 2
  (cd "$home" && logged "build/$preset.log" cmake --build "build/$preset" --target "$@")
}

# The architecture of the GPU here, so that a first build does not compile for all others too.
cuda_architecture() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
  case $capability in
    '' | 90) echo 90a ;;
    *) echo "$capability" ;;
  esac
}

# build_release HOME TARGET...: under a lock, so that two launchers do not build into one another.
build_release() {
  local home=$1
  shift
  mkdir -p "$home/build" 2>/dev/null || true
  if [[ ! -w $home/build ]]; then
    say "$home cannot be written, and what is built there is missing or older than its sources: copy the tree"
    exit 2
  fi
  exec 8>"$home/build/lock"
  flock 8
  need_packages "${build_packages[@]}" || exit $?
  say "building, which takes minutes the first time (progress in build/release.log)"
  [[ -f $home/build/release/build.ninja ]] || configure "$home" release -DBENCH_TESTS=OFF \
    -DBENCH_CUDA_ARCHITECTURES="$(cuda_architecture)" || exit $?
  build "$home" release "$@" || exit $?
  exec 8>&-
}
