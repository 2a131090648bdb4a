import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { deleteGateway, insertGateway, updateGateway } from '@signalbox/database/gateways/gateways';
import { insertRoute } from '@signalbox/database/gateways/routes';
import { DEFAULT_ROUTE_POLICY } from '@signalbox/domain/routing/route';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { SubmitOptions } from '@signalbox/gateways/gateway';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { SIMULATOR_KIND } from '@signalbox/gateways/simulator/kind';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { startPipeline } from '@signalbox/test/pipeline';
import { A_QUEUE } from '@signalbox/test/queue';
import type { EntityManager } from 'typeorm';
import { waitFor } from '../../tools/servers/wait-for.ts';

const PER_SEND = 20;

/** A simulator that records which message was accepted by which gateway, named with the delay of its settings. */
class RecordingSimulator extends SimulatorGateway {
  constructor(
    private readonly accepted: { gateway: string; messageId: string }[],
    private readonly label: string,
    options: { name: string; delayMs: number },
  ) {
    super(options);
  }

  override async submit(messages: OutgoingSms[], options: SubmitOptions): Promise<SubmitOutcome[]> {
    const outcomes = await super.submit(messages, options);
    for (const { messageId, result } of outcomes)
      if (result === 'accepted') this.accepted.push({ gateway: this.label, messageId });
    return outcomes;
  }
}

test('no message is lost or sent twice while gateways come, change, pause and go', async () => {
  await using t = await setup();
  const { db } = t;

  await t.until('standard 1');
  const alpha = await t.add('alpha', 1);
  await t.until('alpha 1');
  await updateGateway(db, alpha, { settings: { delayMs: 2 } });
  await t.until('alpha 2');
  const beta = await t.add('beta', 3);
  await t.share('alpha', 'beta');
  await t.until('beta 3');
  await updateGateway(db, alpha, { paused: true });
  await t.until('beta 3');
  await updateGateway(db, alpha, { paused: false });
  await t.until('alpha 2');
  await deleteGateway(db, beta);
  await t.until('alpha 2');

  await waitFor(async () => (await t.countDelivered()) === t.sent(), {
    otherwise: 'a message was not delivered',
  });
  expect(t.accepted).toHaveLength(t.sent());
  expect(new Set(t.accepted.map(({ messageId }) => messageId)).size).toBe(t.sent());
});

async function setup() {
  await using started = new AsyncDisposableStack();
  const accepted: { gateway: string; messageId: string }[] = [];
  const record = (name: string, delayMs: number): RecordingSimulator =>
    new RecordingSimulator(accepted, `${name} ${delayMs}`, { name, delayMs });
  const kind: GatewayKind<{ delayMs: number }> = {
    ...SIMULATOR_KIND,
    open: ({ name, settings }) => record(name, settings.delayMs),
  };
  const options = { queue: A_QUEUE, gateway: record('standard', 1), kinds: [kind] };
  const p = started.use(await startPipeline(options));
  const { db } = p;
  let sent = 0;
  const send = async (): Promise<void> => {
    const start = 919_800_101_000 + (sent % 8_000); // each is delivered, by the script of its digits
    const to = Array.from({ length: PER_SEND }, (_, i) => String(start + i));
    const { status } = await p.post('/v1/sms', { type: 'TRANS', sender: 'SIGNALBX', to, text: 'Hello' });
    expect(status).toBe(200);
    sent += PER_SEND;
  };
  const all = started.move();
  return {
    db,
    accepted,
    sent: () => sent,
    /** Sends until a gateway got a message after the call. */
    until: async (label: string): Promise<void> => {
      const from = accepted.length;
      const isReached = async (): Promise<boolean> => {
        await send();
        return accepted.slice(from).some(({ gateway }) => gateway === label);
      };
      await waitFor(isReached, { otherwise: `${label} got no message` });
    },
    /** Enables a gateway. @returns its id */
    add: async (name: string, delayMs: number): Promise<string> => {
      const row = {
        id: randomUUIDv7(),
        name,
        channel: 'sms',
        kind: 'simulator',
        settings: { delayMs },
      } as const;
      const rest = { sealedSecrets: null, ratePerSecond: null, enabled: true, paused: false };
      return (await insertGateway(db, { ...row, ...rest }))!.id;
    },
    /** Stores a route to gateways of equal weight. */
    share: async (...gateways: string[]): Promise<void> => {
      const targets = gateways.map((gateway) => ({ gateway, weight: 1, cost: null }));
      const rest = { match: {}, fallbacks: [], policy: DEFAULT_ROUTE_POLICY };
      await insertRoute(db, { id: randomUUIDv7(), priority: 1, targets, ...rest });
    },
    countDelivered: () => countDelivered(db),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function countDelivered(db: EntityManager): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `SELECT count(*)::integer AS count FROM message WHERE status = 'DELIVERED'`,
  );
  return row!.count;
}
