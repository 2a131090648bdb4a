import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openDataSource } from '@signalbox/database/core/data-source';
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
  const accepted: { gateway: string; messageId: string }[] = [];
  const record = (name: string, delayMs: number): RecordingSimulator =>
    new RecordingSimulator(accepted, `${name} ${delayMs}`, { name, delayMs });
  const kind: GatewayKind<{ delayMs: number }> = {
    ...SIMULATOR_KIND,
    open: ({ name, settings }) => record(name, settings.delayMs),
  };
  await using p = await startPipeline({ queue: A_QUEUE, gateway: record('standard', 1), kinds: [kind] });
  const source = await openDataSource({
    url: p.databaseUrl,
    applicationName: 'test',
    poolSize: 2,
    commit: 'durable',
  });
  const db = source.manager;
  const ids: string[] = [];
  const send = async (): Promise<void> => {
    const start = 919_800_101_000 + (ids.length % 400) * PER_SEND; // each is delivered, by the script of its digits
    const to = Array.from({ length: PER_SEND }, (_, i) => String(start + i));
    const answer = await p.post('/v1/sms', { type: 'TRANS', sender: 'SIGNALBX', to, text: 'Hello' });
    expect(answer.status).toBe(200);
    ids.push(String(answer.body['id']));
  };
  /** Sends until a gateway got a message that was sent after the call. */
  const until = async (label: string): Promise<void> => {
    const from = accepted.length;
    await waitFor(
      async () => {
        await send();
        return accepted.slice(from).some(({ gateway }) => gateway === label);
      },
      { otherwise: `${label} got no message` },
    );
  };
  const add = (name: string, delayMs: number) =>
    insertGateway(db, {
      id: randomUUIDv7(),
      name,
      channel: 'sms',
      kind: 'simulator',
      settings: { delayMs },
      sealedSecrets: null,
      ratePerSecond: null,
      enabled: true,
      paused: false,
    });
  try {
    await until('standard 1');
    const alpha = (await add('alpha', 1))!;
    await until('alpha 1');
    await updateGateway(db, alpha.id, { settings: { delayMs: 2 } });
    await until('alpha 2');
    const beta = (await add('beta', 3))!;
    await insertRoute(db, {
      id: randomUUIDv7(),
      priority: 1,
      match: {},
      targets: ['alpha', 'beta'].map((gateway) => ({ gateway, weight: 1, cost: null })),
      fallbacks: [],
      policy: DEFAULT_ROUTE_POLICY,
    });
    await until('beta 3');
    await updateGateway(db, alpha.id, { paused: true });
    await until('beta 3');
    await updateGateway(db, alpha.id, { paused: false });
    await until('alpha 2');
    await deleteGateway(db, beta.id);
    await until('alpha 2');

    const total = ids.length * PER_SEND;
    await waitFor(
      async () => {
        const [row]: { count: number }[] = await db.query(
          `SELECT count(*)::integer AS count FROM message WHERE status = 'DELIVERED'`,
        );
        return row?.count === total;
      },
      { otherwise: 'a message was not delivered' },
    );
    expect(accepted).toHaveLength(total);
    expect(new Set(accepted.map(({ messageId }) => messageId)).size).toBe(total);
  } finally {
    await source.destroy();
  }
}, 180_000);
