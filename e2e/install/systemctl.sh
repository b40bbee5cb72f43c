#!/bin/sh
# Replaces systemctl in a container without systemd: runs the ExecStart line of the unit as its user, and waits until the
# daemon is ready. Each call is a line in $CALLS.
unit=/usr/lib/systemd/system/tcp-guard.service
wanted=/etc/systemd/system/multi-user.target.wants/tcp-guard.service
pid=/run/tcp-guard.pid
echo "$*" >>/run/systemd/calls

start() {
	setpriv --reuid guard --regid guard --clear-groups sh -c "$(sed -n 's/^ExecStart=/exec /p' $unit)" </dev/null >>/run/systemd/journal 2>&1 &
	echo $! >$pid
	until grep -q ready /run/systemd/journal; do
		kill -0 "$(cat $pid)" || return 1
		sleep 0.1
	done
}

stop() {
	[ -e $pid ] || return 0
	kill -TERM "$(cat $pid)"
	while kill -0 "$(cat $pid)" 2>/dev/null; do sleep 0.1; done
	rm $pid
	: >/run/systemd/journal
}

case $1 in
enable) mkdir -p "$(dirname $wanted)" && ln -sf $unit $wanted ;;
is-enabled) [ -L $wanted ] ;;
restart) stop && start ;;
stop) stop ;;
esac
