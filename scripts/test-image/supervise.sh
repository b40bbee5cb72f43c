# First process in the test image: runs a command until it ends, or until standard input ends. The caller holds standard
# input open while it lives. When this process ends, the container ends with everything that the command started.
exec 3<&0 </dev/null
(
  cat <&3 >/dev/null
  kill -s TERM -- -1
  sleep 5
  kill -s KILL -- -1
) &
exec 3<&-
"$@"
exit $?
