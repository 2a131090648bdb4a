import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { SideProcess } from './side-process.ts';
import type { Stage } from './stage.ts';

/** The carriers of the SMS of a run, which alternate. */
export const SMS_SIDES = ['simulator', 'smpp'] as const;
export type SmsSide = (typeof SMS_SIDES)[number];

/** Creates a disabled gateway with one bind to the SMSC. */
export async function createGateway(stage: Stage, port: number): Promise<void> {
  const settings = { host: '127.0.0.1', port, systemId: 'bench', window: 100 };
  const row = { name: 'bench', channel: 'sms', kind: 'smpp', settings, enabled: false };
  await call(stage, 'POST', '/v1/gateways', row);
}

/** Without an enabled gateway the simulator serves. */
export async function serveBy(side: SmsSide, stage: Stage, smsc: SideProcess): Promise<void> {
  await call(stage, 'PATCH', '/v1/gateways/bench', { enabled: side === 'smpp' });
  const connections = side === 'smpp' ? 1 : 0;
  await until(async () => (await smsc.ask<number>('connections')) === connections);
}

/** Calls the API. @throws for an answer that is no success */
export async function call(
  { stack: { apiUrl, apiKey } }: Stage,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
): Promise<void> {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const answer = await request(apiUrl + path, { method, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
}

/** Waits for a condition. @throws after 120 s */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('a turn was not done within 120 s');
    await sleep(100);
  }
}
