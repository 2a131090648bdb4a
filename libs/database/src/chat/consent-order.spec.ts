import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { untilOneWaits } from '@signalbox/test/locks';
import { accept, addSender, newInbound } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { sweepOptOutEnds } from '../accounts/opt-out-ends.ts';
import { deleteOptOut, listOptOuts, upsertOptOuts } from '../accounts/opt-outs.ts';
import { insertGatewayOptOuts, insertInboundSms } from '../gateways/inbound-sms.ts';
import { applyConsentChanges, insertInbounds } from './inbound-messages.ts';

/* Callbacks are processed late and in any order. Whether a recipient is opted out depends on when each was written. */

const BUSINESS = '15550200001';
const owner = randomUUIDv7();
const rows = await openSharedRows();

beforeAll(() => addSender(rows.db, owner, BUSINESS));

interface Change {
  consent: 'stop' | 'start';
  secondsAgo: number;
}
type Apply = (db: EntityManager, from: string, change: Change) => Promise<unknown>;

const timeOf = ({ secondsAgo }: { secondsAgo: number }): Date => new Date(Date.now() - secondsAgo * 1_000);

const inboundOf = (from: string, change: Change) =>
  newInbound({ from, to: BUSINESS, consent: change.consent, sentAt: timeOf(change) });

const inChat: Apply = (db, from, change) => insertInbounds(db, [inboundOf(from, change)]);
const bySms: Apply = (db, from, change) =>
  insertInboundSms(db, [{ ...inboundOf(from, change), text: 'STOP', givenTo: owner }]);
const byProvider: Apply = (db, recipient, change) =>
  applyConsentChanges(db, [{ recipient, sender: BUSINESS, consent: change.consent, at: timeOf(change) }]);

const WAYS: Record<string, Apply> = {
  'messages in a chat app': inChat,
  SMS: bySms,
  'changes that the provider reports': byProvider,
};

const stop = (secondsAgo: number): Change => ({ consent: 'stop', secondsAgo });
const start = (secondsAgo: number): Change => ({ consent: 'start', secondsAgo });
const HISTORIES = [
  [stop(30), start(20)],
  [start(30), stop(20)],
  [stop(30), start(20), stop(10)],
  [start(30), stop(20), start(10)],
  [stop(30), stop(20), start(10)],
];

let lastNumber = 919_700_000_000;
const nextNumber = (): string => String((lastNumber += 1));

const isOptedOut = async (recipient: string): Promise<boolean> =>
  (await listOptOuts(rows.db, owner, 10, undefined, recipient)).length > 0;

test.each(Object.entries(WAYS))('the latest of %s counts, in any order', async (_, apply) => {
  const wrong: string[] = [];
  for (const history of HISTORIES)
    for (const order of permutations(history)) {
      const from = nextNumber();
      for (const change of order) await apply(rows.db, from, change);
      if ((await isOptedOut(from)) !== (history.at(-1)!.consent === 'stop'))
        wrong.push(order.map(({ consent, secondsAgo }) => `${consent} ${secondsAgo} s ago`).join(', '));
    }

  expect(wrong).toEqual([]);
});

const TOGETHER: Record<string, (from: string, changes: Change[]) => Promise<unknown>> = {
  'messages in a chat app': (from, changes) =>
    insertInbounds(
      rows.db,
      changes.map((change) => inboundOf(from, change)),
    ),
  SMS: (from, changes) =>
    insertInboundSms(
      rows.db,
      changes.map((change) => ({ ...inboundOf(from, change), text: '', givenTo: owner })),
    ),
};

test.each(Object.entries(TOGETHER))('the latest of %s of a clock that is ahead counts', async (_, apply) => {
  const wrong: string[] = [];
  for (const history of [
    [start(-20), stop(-30)],
    [stop(-20), start(-30)],
  ])
    for (const changes of permutations(history)) {
      const from = nextNumber();
      await apply(from, changes);
      if ((await isOptedOut(from)) !== (history.at(-1)!.consent === 'stop'))
        wrong.push(changes.map(({ consent }) => consent).join(', '));
    }

  expect(wrong).toEqual([]);
});

test.each(
  Object.entries(WAYS).flatMap(([name, apply]) => [
    { name, apply, first: stop(20), second: start(10) },
    { name, apply, first: start(10), second: stop(20) },
  ]),
)('the latest of $name counts when a $second.consent overlaps', async ({ apply, first, second }) => {
  const from = nextNumber();

  let running: Promise<unknown> | undefined;
  await rows.db.transaction(async (db) => {
    await apply(db, from, first);
    running = apply(rows.db, from, second);
    await untilOneWaits(rows.db);
  });
  await running;

  expect(await isOptedOut(from)).toBe(false);
});

test('a STOP from before the deletion of its opt-out does nothing, and one from after counts', async () => {
  const from = nextNumber();
  const userId = 'IN.deleted';
  await insertInbounds(rows.db, [{ ...inboundOf(from, stop(20)), userId }]);
  const [optOut] = await listOptOuts(rows.db, owner, 1, undefined, from);
  expect(await deleteOptOut(rows.db, owner, optOut!.id)).toBe(true);

  await inChat(rows.db, from, stop(10));
  expect([await isOptedOut(from), await isOptedOut(userId)]).toEqual([false, false]);
  await inChat(rows.db, from, stop(-10));
  expect([await isOptedOut(from), await isOptedOut(userId)]).toEqual([true, true]);
});

test('an opt-out that is added again after it was deleted counts', async () => {
  const recipient = nextNumber();
  const add = async (): Promise<string> => {
    const id = randomUUIDv7();
    const optOut = { id, recipient, sender: BUSINESS, source: 'api', reason: null, createdAt: new Date() };
    await upsertOptOuts(rows.db, owner, [optOut]);
    return id;
  };
  await deleteOptOut(rows.db, owner, await add());

  await add();

  expect(await isOptedOut(recipient)).toBe(true);
});

test('a START that the provider reports ends opt-outs of the provider only', async () => {
  const [writer, refuser] = [nextNumber(), nextNumber()];
  for (const each of [writer, refuser]) await byProvider(rows.db, each, start(10));

  await inChat(rows.db, writer, stop(20));
  await byProvider(rows.db, refuser, stop(20));

  expect([await isOptedOut(writer), await isOptedOut(refuser)]).toEqual([true, false]);
});

test('a refusal of a gateway from before a START does not opt out, and one from after does', async () => {
  const [earlier, later] = [nextNumber(), nextNumber()];
  const { id } = await accept(rows.db, { accountId: owner, recipients: [earlier, later], sender: BUSINESS });
  for (const each of [earlier, later]) await inChat(rows.db, each, start(20));

  await insertGatewayOptOuts(rows.db, [
    { submissionId: id, n: 1, at: timeOf({ secondsAgo: 30 }) },
    { submissionId: id, n: 2, at: timeOf({ secondsAgo: 10 }) },
  ]);

  expect([await isOptedOut(earlier), await isOptedOut(later)]).toEqual([false, true]);
});

test('the end of an opt-out is kept for 30 days', async () => {
  const [old, recent] = [nextNumber(), nextNumber()];
  await inChat(rows.db, old, start(30 * 86_400 + 60));
  await inChat(rows.db, recent, start(30 * 86_400 - 60));

  await sweepOptOutEnds(rows.db);

  const kept: { recipient: string }[] = await rows.db.query(
    `SELECT recipient FROM opt_out_end WHERE recipient = ANY($1)`,
    [[old, recent]],
  );
  expect(kept).toEqual([{ recipient: recent }]);
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}
