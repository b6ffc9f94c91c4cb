#!/usr/bin/env bash
# A worker as it is often written: curl retries whatever fails, and no key tells the
# target that it is the same refund again.
set -euo pipefail

seconds=$(printf '%d.%03d' $((DRILL_CLIENT_DEADLINE_MS / 1000)) $((DRILL_CLIENT_DEADLINE_MS % 1000)))
job=$(cat)

# One action after another, without a JSON parser.
while [[ $job =~ \"action_id\":\ *\"([^\"]*)\"(.*) ]]; do
  action=${BASH_REMATCH[1]} job=${BASH_REMATCH[2]}
  [[ $job =~ \"amount\":\ *([0-9]+) ]] && amount=${BASH_REMATCH[1]}
  [[ $job =~ \"charge\":\ *\"([^\"]*)\" ]] && charge=${BASH_REMATCH[1]}
  answer=$(curl --silent --show-error --fail --max-time "$seconds" \
    --retry 2 --retry-delay 1 --retry-all-errors --retry-connrefused \
    --header "Authorization: Bearer $DRILL_TARGET_TOKEN" \
    --data-urlencode "charge=$charge" --data "amount=$amount" \
    --data-urlencode "metadata[action_id]=$action" \
    "$DRILL_TARGET_URL/v1/refunds")
  [[ $answer =~ \"id\":\ *\"(re_[^\"]*)\" ]]
  printf '{"action_id": "%s", "outcome": "done", "resource_id": "%s"}\n' "$action" "${BASH_REMATCH[1]}"
done
