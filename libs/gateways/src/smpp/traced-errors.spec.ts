import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { WAIT } from '../../test/gateway.conformance.ts';
import { receipt } from '../../test/scripted-smpp.ts';
import { openBound, smsOf } from '../../test/smpp-gateway.ts';
import { memoryHost } from '../../test/smpp-host.ts';
import { startSmsc } from '../../test/smsc.ts';
import { findSuspects } from '../connection.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/** Records whom an exception would be traced to, at each look at the clock and in each timer. */
function tracingClock(traced: Set<string>): Clock {
  const trace = () => void traced.add(JSON.stringify(findSuspects()));
  return {
    now: () => {
      trace();
      return SYSTEM_CLOCK.now();
    },
    after: (delayMs, run) =>
      SYSTEM_CLOCK.after(delayMs, () => {
        trace();
        run();
      }),
  };
}

/** A gateway whose PDUs are traced from the middle of its sessions, and which has stored an id and a receipt. */
async function setup() {
  const inGateway = new Set<string>();
  const inHost = new Set<string>();
  const traceHost = async () => void inHost.add(JSON.stringify(findSuspects()));
  const host = memoryHost();
  host.beforeInsert = traceHost;
  const { slots, orphans } = host;
  host.logger = { ...host.logger, info: () => void inGateway.add(JSON.stringify(findSuspects())) };
  host.slots = { acquire: (...given) => traceHost().then(() => slots.acquire(...given)) };
  host.orphans = { keep: (...given) => traceHost().then(() => orphans.keep(...given)) };
  const smsc = await startSmsc();
  const open = await openBound({
    port: smsc.port,
    host,
    clock: tracingClock(inGateway),
    settings: { trace: true },
  });
  open.gateway.onReports(traceHost);
  return { inGateway, inHost, smsc, ...open };
}

test('an exception of a session is traced to its gateway, and not to those whom it calls', async () => {
  const t = await setup();

  const [outcome] = await t.gateway.submit([smsOf({ messageId: 'id:1' })], WAIT);
  const id = (outcome as { gatewayMessageIds: string[] }).gatewayMessageIds[0]!;
  for (const [i, known] of [id, 'unknown'].entries())
    t.smsc.connections[0]!.send({ command: 'deliver_sm', sequence: i + 1, message: receipt(known) });
  await waitFor(() => t.host.kept.length > 0);
  await t.gateway.close();
  await t.smsc[Symbol.asyncDispose]();

  expect([...t.inGateway]).toEqual([JSON.stringify([{ gateway: t.gateway.name }])]);
  expect([...t.inHost]).toEqual(['[]']);
  expect(findSuspects()).toEqual([]);
});
