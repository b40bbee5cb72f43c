/** Sends events to Loki in the format of the collector. */

type Facts = Readonly<Record<string, unknown>>;

const attributes = (facts: Facts) =>
  Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

/** Returns the labels and the structured metadata of an event line. */
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
        ...{
          method: event.method,
          host: event.host,
          user_agent: event.user_agent,
          reference: event.reference,
          response: isAudit ? '' : action,
        },
      }),
    },
  };
}

/** Sends lines. In each stream, the oldest line must come first. */
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
