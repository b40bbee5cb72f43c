#!/bin/sh
# nginx uses only the name servers of its configuration. This sets those of the container.
set -eu
sed -n -e 's/^nameserver *\(.*:.*\)$/resolver [\1];/p;t' -e 's/^nameserver *\(.*\)$/resolver \1;/p' /etc/resolv.conf |
  head -n 1 >/tmp/resolver.conf
exec nginx -e stderr -c "$1"
