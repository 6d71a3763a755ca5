#!/usr/bin/env bash
# Builds web/dist from web/src: equal sources give equal bytes. Needs nodejs and npm.
#   web/build.sh           replaces web/dist
#   web/build.sh --check   compares it with a new build
set -euo pipefail
web="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
most_bytes=256000  # 250 KiB

cd "$web"
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
fi
target="$(mktemp -d)"
trap 'rm -rf "$target"' EXIT
node types.mjs ../docs/schema/result.schema.json ../docs/schema/why.schema.json ../docs/schema/tornado.schema.json >src/result.d.ts
node_modules/.bin/tsc --project tsconfig.json
# The script of this name waits for the program of its platform; the program itself does not need that.
esbuild="node_modules/@esbuild/linux-x64/bin/esbuild"
[ -x "$esbuild" ] || esbuild="node_modules/.bin/esbuild"
"$esbuild" src/main.tsx --bundle --minify --format=iife --target=es2020 --charset=ascii --legal-comments=none \
  --jsx=automatic --jsx-import-source=preact --log-level=warning --outfile="$target/app.js"
"$esbuild" static/app.css --minify --charset=ascii --log-level=warning --outfile="$target/app.css"
cp static/index.html static/icon.svg "$target/"
chmod 644 "$target"/*

bytes="$(cat "$target"/* | wc -c)"
if [ "$bytes" -gt "$most_bytes" ]; then
  echo "web/build.sh: the page has $bytes bytes; at most $most_bytes" >&2
  exit 1
fi
if [ "${1:-}" = --check ]; then
  if ! diff -rq "$target" dist; then
    echo "web/build.sh: web/dist is not what web/src gives; run web/build.sh and commit web/dist" >&2
    exit 1
  fi
else
  mkdir -p dist
  rm -f dist/*
  cp "$target"/* dist/
  echo "web/dist: $bytes bytes"
fi
