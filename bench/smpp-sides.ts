import { setTimeout as sleep } from 'node:timers/promises';
import { callApi } from '../test/support/call-api.ts';
import type { SideProcess } from './side-process.ts';
import type { Stage } from './stage.ts';

/** The carriers of the SMS of a run, which alternate. */
export const SMS_SIDES = ['simulator', 'smpp'] as const;
export type SmsSide = (typeof SMS_SIDES)[number];

/** Creates a gateway with one bind to the SMSC, or deletes it: the simulator serves only without any gateway. */
export async function serveBy(side: SmsSide, stage: Stage, smsc: SideProcess): Promise<void> {
  const wanted = side === 'smpp' ? 1 : 0;
  const connections = (): Promise<number> => smsc.ask('connections');
  if ((await connections()) === wanted) return;
  if (side === 'smpp') {
    const settings = { host: '127.0.0.1', port: await smsc.ask('port'), systemId: 'bench', window: 100 };
    await callApi(stage.stack, 'POST', '/v1/gateways', {
      name: 'bench',
      channel: 'sms',
      kind: 'smpp',
      settings,
    });
  } else await callApi(stage.stack, 'DELETE', '/v1/gateways/bench');
  await until(async () => (await connections()) === wanted);
}

/** Waits for a condition. @throws after 120 s */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('a turn was not done within 120 s');
    await sleep(100);
  }
}
