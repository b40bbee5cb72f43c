import { type Agent, request } from 'node:http';
import type { Body } from './texts.ts';

/** Sends one request and reads its response. @returns the status */
export function send(url: string, agent: Agent, body?: Body): Promise<number> {
  const headers = body && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: body ? 'POST' : 'GET', ...(headers && { headers }) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end(body?.text);
  });
}
