#!/bin/sh
# Installs the pinned requirements into a virtual environment: scripts/install.sh VENV
# TORCH_BACKEND says which build of torch: cpu, cu130 and so on come from PyTorch's own index; `index` is what the package
# index has, on Linux the CUDA build. Without it: on Linux without an NVIDIA driver cpu, else index.
set -eu
venv=$1
uv=$venv/bin/uv
export VIRTUAL_ENV="$venv"
backend=${TORCH_BACKEND:-}
if [ -n "$backend" ]; then
  reason="as TORCH_BACKEND says"
elif [ "$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null 2>&1; then
  backend=cpu reason="no NVIDIA driver is installed; TORCH_BACKEND=index takes the CUDA build"
else
  backend=index reason="TORCH_BACKEND=cpu takes the CPU build"
fi
quiet=--quiet
[ -t 2 ] && quiet=

plain() {
  case $(uname -s) in
    Linux) echo "setup: installing the requirements with the CUDA build of torch into $venv: 7.3 GB on the disk, once" ;;
    *) echo "setup: installing the requirements into $venv: 3 GB on the disk, once" ;;
  esac
  "$uv" pip install $quiet -r requirements.txt
}

echo "setup: torch build: $backend ($reason)"
if [ "$backend" = index ]; then
  plain
  exit
fi
echo "setup: fetching torch from PyTorch's own index: the CPU build takes 0.7 GB of the disk, CUDA builds 5 GB"
if "$uv" pip install $quiet --torch-backend="$backend" "$(grep '^torch==' requirements.txt)"; then
  [ "$backend" != cpu ] || echo "setup: installing the other requirements into $venv: 2.1 GB on the disk, once"
  # The lock names the CUDA libraries of the plain index's torch; another build brings its own, or needs none.
  grep -vE '^(nvidia-|cuda-|triton==)' requirements.txt >"$venv/requirements.txt"
  "$uv" pip install $quiet -r "$venv/requirements.txt"
elif [ -n "${TORCH_BACKEND:-}" ]; then
  echo "setup: no $backend build of torch could be had; choose another TORCH_BACKEND, or index" >&2
  exit 2
else
  echo "setup: it can't be had from there; taking the package index's build instead"
  plain
fi
