#!/bin/sh
# Prints the ten largest entries, with jq. Run it: sh examples/programs/sizes.sh [URL]
curl -fsS "${1:-http://localhost:7172}/api/keys?limit=1000" |
  jq -r '.entries | sort_by(-.sizeBytes)[:10][] | "\(.sizeBytes)\t\(.key)"'
