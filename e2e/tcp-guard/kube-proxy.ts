/**
 * The rules of kube-proxy for one service with a ClusterIP and a NodePort, in both of its modes. Source: the rules that
 * kubernetes expects of itself in TestOverallIPTablesRules and TestOverallNFTablesRules, pkg/proxy/iptables/proxier_test.go
 * and pkg/proxy/nftables/proxier_test.go. Hooks, priorities, matches and the order of rules are theirs.
 */
import { run } from './namespaces.ts';

export interface ProxiedService {
  readonly clusterIp: string;
  readonly port: number;
  readonly nodeIp: string;
  readonly nodePort: number;
  readonly podNetwork: string;
  readonly pod: string;
  readonly podPort: number;
}

/** kube-proxy gives these lines to iptables-restore --noflush. */
const iptablesText = ({ clusterIp, port, nodePort, podNetwork, pod, podPort }: ProxiedService): string => `*filter
:KUBE-FORWARD - [0:0]
:KUBE-NODEPORTS - [0:0]
-A INPUT -m comment --comment "health check service ports" -j KUBE-NODEPORTS
-A FORWARD -m comment --comment "forwarding rules" -j KUBE-FORWARD
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
*nat
:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-EXT-A - [0:0]
:KUBE-SVC-A - [0:0]
:KUBE-SEP-A - [0:0]
-A PREROUTING -m comment --comment "service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "postrouting rules" -j KUBE-POSTROUTING
-A KUBE-SERVICES -p tcp -d ${clusterIp} --dport ${port} -j KUBE-SVC-A
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-NODEPORTS -p tcp --dport ${nodePort} -j KUBE-EXT-A
-A KUBE-EXT-A -j KUBE-MARK-MASQ
-A KUBE-EXT-A -j KUBE-SVC-A
-A KUBE-SVC-A -p tcp -d ${clusterIp} --dport ${port} ! -s ${podNetwork} -j KUBE-MARK-MASQ
-A KUBE-SVC-A -j KUBE-SEP-A
-A KUBE-SEP-A -s ${pod} -j KUBE-MARK-MASQ
-A KUBE-SEP-A -p tcp -j DNAT --to-destination ${pod}:${podPort}
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000
-A KUBE-POSTROUTING -j MASQUERADE --random-fully
COMMIT
`;

const nftablesText = ({ clusterIp, port, nodeIp, nodePort, podNetwork, pod, podPort }: ProxiedService): string => `
table ip kube-proxy
delete table ip kube-proxy
table ip kube-proxy {
  set cluster-ips { type ipv4_addr; elements = { ${clusterIp} }; }
  set nodeport-ips { type ipv4_addr; elements = { ${nodeIp} }; }
  map service-ips {
    type ipv4_addr . inet_proto . inet_service : verdict
    elements = { ${clusterIp} . tcp . ${port} : goto service-a }
  }
  map service-nodeports {
    type inet_proto . inet_service : verdict
    elements = { tcp . ${nodePort} : goto external-a }
  }
  chain mark-for-masquerade { mark set mark or 0x4000; }
  chain endpoint-a {
    ip saddr ${pod} jump mark-for-masquerade
    meta l4proto tcp dnat to ${pod}:${podPort}
  }
  chain service-a {
    ip daddr ${clusterIp} ip saddr != ${podNetwork} jump mark-for-masquerade
    numgen random mod 1 vmap { 0 : goto endpoint-a }
  }
  chain external-a {
    jump mark-for-masquerade
    goto service-a
  }
  chain services {
    ip daddr . meta l4proto . th dport vmap @service-ips
    ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports
  }
  chain cluster-ips-check { ip daddr @cluster-ips reject; }
  chain masquerading {
    mark and 0x4000 == 0 return
    mark set mark xor 0x4000
    masquerade fully-random
  }
  chain filter-forward {
    type filter hook forward priority 0
    ct state new jump cluster-ips-check
  }
  chain filter-output {
    type filter hook output priority 0
    ct state new jump cluster-ips-check
  }
  chain nat-prerouting {
    type nat hook prerouting priority -100
    jump services
  }
  chain nat-output {
    type nat hook output priority -100
    jump services
  }
  chain nat-postrouting {
    type nat hook postrouting priority 100
    jump masquerading
  }
}
`;

/** Writes the rules, by mode. */
export const kubeProxy = {
  iptables: (service: ProxiedService) => run('iptables-nft-restore --noflush', iptablesText(service)),
  nftables: (service: ProxiedService) => run('nft -f -', nftablesText(service)),
} as const;
