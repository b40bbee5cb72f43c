/** Events in Loki as the collector writes them, without a collector. */

type Facts = Readonly<Record<string, unknown>>;

const attributes = (facts: Facts) =>
  Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

/** What the collector makes of an event line: labels, and structured metadata. */
function recordOf(line: string) {
  const event = JSON.parse(line) as Facts & { readonly timestamp: string };
  const { type, gateway, mode, service, action, rule_id, reason, client_ip, path, country_code, count = 1 } = event;
  const isAudit = type === 'security_event';
  const blocked = type === 'guard_detect' ? 'detected' : 'blocked';
  return {
    labels: {
      ...{ app: 'request-guard', gateway: isAudit ? 'tcp-guard' : gateway, mode: isAudit ? undefined : mode },
      ...{ service: isAudit ? service : 'http', action: isAudit ? action : blocked },
    },
    record: {
      timeUnixNano: `${Date.parse(event.timestamp)}000000`,
      body: { stringValue: line },
      attributes: attributes({
        ...{ client_ip, path, rule_id: rule_id || reason, country: country_code, count, reason },
        ...{ method: event.method, host: event.host, user_agent: event.user_agent, response: isAudit ? '' : action },
      }),
    },
  };
}

/** Sends event lines by OTLP, with the labels that the collector sets; in each stream, the oldest must come first. */
export async function pushEvents(address: string, lines: readonly string[]): Promise<void> {
  const resourceLogs = lines.map(recordOf).map(({ labels, record }) => ({
    resource: { attributes: attributes(labels) },
    scopeLogs: [{ logRecords: [record] }],
  }));
  const response = await fetch(`${address}/otlp/v1/logs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ resourceLogs }),
  });
  if (response.status !== 204) throw new Error(`Loki refuses events: ${response.status} ${await response.text()}`);
}
