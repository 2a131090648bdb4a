import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { upsertOptOuts } from '@signalbox/database/accounts/opt-outs';
import { applyIdentityNotices } from '@signalbox/database/chat/identity-notices';
import { insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { insertGatewayOptOuts, insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { insertMessageIds, lockSegments, updateMessageIds } from '@signalbox/database/gateways/message-ids';
import { insertOrphans, postponeOrphans } from '@signalbox/database/gateways/orphans';
import { insertShortLinks } from '@signalbox/database/messages/short-links';
import { insertPhoneMessages } from '@signalbox/database/ops/phones';
import { noteRowFailures } from '@signalbox/database/ops/row-failures';
import { applyProviderTemplates } from '@signalbox/database/templates/provider-states';
import { recordRegistration } from '@signalbox/database/templates/registrations';
import { decideTemplates } from '@signalbox/database/templates/reviews';
import { type CodeAttempt, decideAttempts } from '@signalbox/database/verify/attempts';
import { storeCodes } from '@signalbox/database/verify/codes';
import { sweepVerifications } from '@signalbox/database/verify/maintenance';
import {
  type AccountNumber,
  insertVerifications,
  lockNumbers,
} from '@signalbox/database/verify/verifications';
import {
  addSender,
  newInbound,
  newMessageId,
  newProviderTemplate,
  newVerification,
} from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { randomFrom, shuffle } from '../torture/random.ts';
import {
  ACCOUNT,
  CONNECTIONS,
  ROWS,
  type Race,
  SEED,
  claimed,
  idsOf,
  numberOf,
  storeMessageIds,
  testRaces,
} from './racing.ts';

const ORPHAN_REPORT = {
  gateway: 'orphans',
  errCode: '000',
  gatewayCode: null,
  description: '',
  reportedAt: new Date(),
  kind: 'report' as const,
  recipient: null,
  status: 'DELIVERED' as const,
  content: null,
};

/** Templates whose states one transaction stores: each by a statement, so that many would take long. */
const TEMPLATES = 10;

const OPT_OUT = { source: 'api', reason: null, createdAt: new Date(0) };
const PHONE_MESSAGE = { sender: 'SIGNALBX', sealedText: Buffer.alloc(1) };
const NONCE = randomBytes(16);
const CODE = { accountId: ACCOUNT, mac: randomBytes(32), submission: null, steps: [] };

const RACES: Record<string, Race> = {
  'lockSegments and updateMessageIds': async (db) => {
    const stored = await storeMessageIds(db, 'segments', 2);
    return async (on, order) => {
      const segments = await lockSegments(
        on,
        order.map((i) => stored[i]!),
      );
      await updateMessageIds(
        on,
        segments.toReversed().map((segment) => ({ ...segment, status: 'SENT' })),
      );
    };
  },
  'insertMessageIds and the orphans that it wakes': async (db) => {
    const ids = Array.from({ length: ROWS }, () => randomUUIDv7());
    const orphans = shuffle(randomFrom(SEED), ids).map((id) => ({
      ...ORPHAN_REPORT,
      id,
      gatewayMessageId: id,
      wakeId: id,
    }));
    await insertOrphans(db, orphans);
    return async (on, order) => {
      const named = order.map((i) => ids[i]!);
      if (order[0]! % 2 === 0) await postponeOrphans(on, named);
      else
        await insertMessageIds(
          on,
          named.map((id) =>
            newMessageId(id, { gateway: ORPHAN_REPORT.gateway, submissionId: randomUUIDv7() }),
          ),
        );
    };
  },
  insertShortLinks: async () => (db, order, round) =>
    insertShortLinks(
      db,
      order.map((i) => ({
        code: `${round}-${i}`,
        accountId: ACCOUNT,
        submissionId: ACCOUNT,
        n: i + 1,
        link: 0,
      })),
      90,
    ),
  insertPhoneMessages: async (db) => {
    const submissionId = await claimed(db);
    return (on, order, round) =>
      insertPhoneMessages(
        on,
        order.map((i) => ({
          ...PHONE_MESSAGE,
          submissionId,
          n: round * ROWS + i + 1,
          recipient: numberOf(i),
        })),
      );
  },
  noteRowFailures: async () => {
    const ids = Array.from({ length: ROWS }, () => randomUUIDv7());
    return (on, order) =>
      noteRowFailures(
        on,
        'message',
        order.map((i) => ids[i]!),
        'error',
      );
  },
  insertGatewayOptOuts: async (db) => {
    const id = await claimed(db);
    return (on, order) =>
      insertGatewayOptOuts(
        on,
        order.map((i) => ({ submissionId: id, n: i + 1, at: new Date() })),
      );
  },
  applyIdentityNotices: async (db) => {
    const sender = '15550100002';
    await addSender(db, ACCOUNT, sender);
    return (on, order, round) =>
      applyIdentityNotices(
        on,
        order.map((i) => ({ sender, number: numberOf(i + round), userId: `IN.${i}` })),
      );
  },
  'inbound messages with consents': async (db) => {
    const to = '15550100003';
    await addSender(db, ACCOUNT, to);
    return (on, order, round) => {
      const inbounds = order.map((i) =>
        newInbound({ from: numberOf(i), to, consent: (i + round) % 2 === 0 ? 'stop' : 'start' }),
      );
      return insertInbounds(on, inbounds);
    };
  },
  'inbound messages of opted-out people with new user ids, beside notices': async (db) => {
    const to = '15550100007';
    await addSender(db, ACCOUNT, to);
    await upsertOptOuts(
      db,
      ACCOUNT,
      Array.from({ length: ROWS }, (_, i) => ({
        ...OPT_OUT,
        id: randomUUIDv7(),
        recipient: numberOf(i),
        sender: to,
      })),
    );
    let runs = 0;
    return (on, order, round) => {
      const people = order.map((i) => ({ from: numberOf(i), userId: `IN.${i}.${round}` }));
      if (++runs % (CONNECTIONS + 1) === 0)
        return applyIdentityNotices(
          on,
          people.map(({ from, userId }) => ({ sender: to, number: from, userId })),
        );
      return insertInbounds(
        on,
        people.map((person, nth) => newInbound({ ...person, to, consent: nth % 2 === 0 ? 'stop' : null })),
      );
    };
  },
  'sweepVerifications beside tries and requests of codes': async (db) =>
    raceOfVerifications(db, 'EXPIRED', ({ attempts, numbers }) => [
      (on) => sweepVerifications(on),
      (on) => decideAttempts(on, attempts, NONCE),
      (on) => lockNumbers(on, numbers),
    ]),
  'storeCodes and insertVerifications beside tries': async (db) =>
    raceOfVerifications(db, 'WAITING', ({ attempts, numbers }) => [
      (on) =>
        storeCodes(
          on,
          attempts.map(({ verifyId }) => ({ ...CODE, verifyId })),
        ),
      (on) => decideAttempts(on, attempts, NONCE),
      (on) =>
        insertVerifications(
          on,
          attempts.map(({ verifyId }, i) => newVerification({ ...numbers[i]!, replaces: verifyId })),
        ),
    ]),
  decideTemplates: async (db) => {
    const ids = await storeTemplates(db, '15550100004', 'PENDING');
    const decisions = ['approve', 'pause', 'resume'] as const;
    return (on, order, round) =>
      decideTemplates(
        on,
        order.map((i) => ({ id: ids[i]!, decision: round === 0 ? 'approve' : decisions[2 - (round % 2)]! })),
        'race',
      );
  },
  'applyProviderTemplates beside decisions and registrations': async (db) => {
    const gateway = 'race';
    const ids = await storeTemplates(db, '15550100006', 'APPROVED');
    await db.query(
      `INSERT INTO template_registration (template_id, gateway, gateway_template_id, version, attempted_version)
       SELECT id, $1, id, 1, 1 FROM unnest($2::uuid[]) AS id`,
      [gateway, ids],
    );
    let runs = 0;
    return (on, order, round) => {
      const few = order.filter((i) => i < TEMPLATES);
      const status = round % 2 === 0 ? ('PAUSED' as const) : ('APPROVED' as const);
      const apply = (): Promise<unknown> =>
        applyProviderTemplates(
          on,
          few.map((i) => {
            const state = { gateway, gatewayTemplateId: ids[i]!, name: '' };
            return newProviderTemplate({ ...state, providerStatus: status, status });
          }),
        );
      const decide = (): Promise<unknown> => {
        const decision = round % 2 === 0 ? ('pause' as const) : ('resume' as const);
        return decideTemplates(
          on,
          few.map((i) => ({ id: ids[i]!, decision })),
          'race',
        );
      };
      const record = async (): Promise<void> => {
        const id = ids[few[0]!]!;
        await recordRegistration(on, { templateId: id, version: round + 2, gateway }, id);
        await applyProviderTemplates(on, [newProviderTemplate({ gateway, gatewayTemplateId: id, name: '' })]);
      };
      return [apply, decide, apply, record][runs++ % 4]!();
    };
  },
  insertInboundSms: async () => {
    const to = '15550100005';
    return (on, order, round) =>
      insertInboundSms(
        on,
        order.map((i) => ({
          ...newInbound({ from: numberOf(i), to, consent: (i + round) % 2 === 0 ? 'stop' : 'start' }),
          text: 'STOP',
          givenTo: ACCOUNT,
        })),
      );
  },
};

await testRaces(RACES);

interface VerificationRace {
  attempts: CodeAttempt[];
  numbers: AccountNumber[];
}

/** Stores the templates of a new sender. @returns their ids */
async function storeTemplates(
  db: EntityManager,
  sender: string,
  status: 'PENDING' | 'APPROVED',
): Promise<string[]> {
  const chatAccountId = await addSender(db, ACCOUNT, sender);
  return idsOf(
    db,
    `INSERT INTO template (id, account_id, chat_account_id, name, language, status, approved_version, category,
                           version, submitted_at, created_at, updated_at)
     SELECT uuidv7(), $1, ${chatAccountId}, 'n' || i, 'en', '${status}', ${status === 'APPROVED' ? 1 : null},
            'UTILITY', 1, now(), now(), now()
       FROM generate_series(1, $2) AS i
     RETURNING id`,
  );
}

/** Runs other statements on each connection, about verifications of two days ago that each round inserts. */
function raceOfVerifications(
  db: EntityManager,
  status: 'EXPIRED' | 'WAITING',
  statements: (race: VerificationRace) => ((on: EntityManager) => Promise<unknown>)[],
): Awaited<ReturnType<Race>> {
  const rounds: Promise<string[]>[] = [];
  let runs = 0;
  const insert = `
    WITH number AS (
      INSERT INTO verification_number (account_id, recipient, touched_at)
      SELECT $1, '${status} ' || i, now() - interval '2 days' FROM generate_series(0, $2 - 1) AS i
      ON CONFLICT ON CONSTRAINT verification_number_pkey DO UPDATE SET touched_at = EXCLUDED.touched_at
    )
    INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, counted,
                              max_attempts, expires_at)
    SELECT uuidv7(interval '-2 days'), $1, $1, $1, '${status} ' || i, 'IN', true, '${status}', ${status === 'EXPIRED'},
           30000, now() + interval '1 hour'
      FROM generate_series(0, $2 - 1) AS i
    RETURNING id`;
  return async (on, order, round) => {
    const ids = await (rounds[round] ??= idsOf(db, insert));
    const numbers = order.map((i) => ({ accountId: ACCOUNT, recipient: `${status} ${i}` }));
    const attempts = order.map((i) => ({
      verifyId: ids[i]!,
      accountId: ACCOUNT,
      blinded: NONCE,
      blindedBefore: null,
    }));
    const choices = statements({ attempts, numbers });
    return choices[runs++ % choices.length]!(on);
  };
}
