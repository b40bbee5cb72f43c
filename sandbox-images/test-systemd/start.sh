#!/bin/sh
# Starts systemd in place of this shell. Its service test-command runs the arguments with the environment and the folder of this shell.
for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do
	# Container runtimes mount control groups read-only. Those of version 1 are one mount each.
	mount -o remount,rw "$folder" 2>/dev/null
done
{
	export -p
	printf 'cd "%s"\n' "$PWD"
	echo 'exec \'
	for argument; do
		printf "'%s' " "$(printf %s "$argument" | sed "s/'/'\\\\''/g")"
	done
} >/run/test-command
# systemd closes the output of the container, so another process copies that of the service.
mkfifo /run/test-output
cat /run/test-output &
exec /sbin/init
