#!/bin/sh
# Tests guard.json: the cases of cases.yaml offline, then against each target in a sandbox, with JUnit XML. Needs Node 26 and
# a container runtime. The exit status is 1 if a target fails.
# npm has no release of guardcli yet. Run `npm pack` in a clone, and commit the file request-guard-0.1.0.tgz here.
set -eu
: "${GUARD_PACKAGE:=./request-guard-0.1.0.tgz}" "${GUARD_PORT:=8080}"

npm install --global --allow-scripts=re2 "$GUARD_PACKAGE"
guardcli validate guard.json
guardcli test --suite cases.yaml --reporter text

failed=0
for TARGET in proxya proxyb proxyc; do
  guardcli sandbox "$TARGET" guard.json --isolated --suite cases.yaml --reporter junit --port "$GUARD_PORT" > "guard-$TARGET.xml" || {
    cat "guard-$TARGET.xml"
    failed=1
  }
done
# Needs the tcp section of guard.json.
guardcli sandbox tcp-guard guard.json --isolated --test --port "$GUARD_PORT" || failed=1
exit "$failed"
