#!/bin/sh
# nginx asks no name server that its configuration does not name: here it gets those of the container.
set -eu
sed -n -e 's/^nameserver *\(.*:.*\)$/resolver [\1];/p;t' -e 's/^nameserver *\(.*\)$/resolver \1;/p' /etc/resolv.conf |
  head -n 1 >/tmp/resolver.conf
exec nginx -e stderr -c "$1"
