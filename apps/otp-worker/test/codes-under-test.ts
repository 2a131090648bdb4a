import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { OtpTemplate } from '@signalbox/database/verify/verification-config.entity';
import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import { decideTemplates } from '@signalbox/database/templates/reviews';
import { insertTemplates } from '@signalbox/database/templates/templates';
import { type ConfigSettings, insertConfig } from '@signalbox/database/verify/configs';
import { lockNumbers, insertVerifications, saveSends } from '@signalbox/database/verify/verifications';
import { submissionRow, testNumberRow } from '@signalbox/domain/sealed-rows';
import { OTP_DEFAULTS } from '@signalbox/domain/verify/otp-defaults';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { type TestRows, addSender, openRows } from '@signalbox/test/rows';
import { OtpWorkerConfig } from '../src/config.ts';
import { OtpFlow } from '../src/otp.flow.ts';
import { OtpMaker } from '../src/otp.maker.ts';

export const PEPPER = randomBytes(32).toString('base64');

/** Template of codes sent over the chat app, by default. */
export const TEMPLATE: OtpTemplate = { name: 'login_code', language: null, from: '15550100002' };

interface Asked {
  recipient: string;
  country: string;
  isTest: boolean;
  replaces: string | null;
  /** Id of another configuration than the first. */
  configId: string;
}

export interface StoredSubmission
  extends Pick<
    NewSubmission,
    'id' | 'lane' | 'channel' | 'kind' | 'sender' | 'content' | 'recipients' | 'credits'
  > {
  sealed: Buffer;
  expires_at: Date;
}

export interface StoredVerification {
  id: string;
  submission_id: string;
  status: string;
  code_mac: Buffer;
  expires_at: Date;
  sent_at: Date | null;
}

/**
 * Opens the services of the otp-worker on their own database, with one configuration: `await using t = await
 * openCodes()`.
 */
export async function openCodes(settings: Partial<ConfigSettings> = {}) {
  const rows = await openRows();
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const { queues, enqueued } = fakeQueues();
  const config = Object.assign(new OtpWorkerConfig(), { OTP_PEPPER: PEPPER });
  const lines: object[] = [];
  const logger = createLogger('test', 'warn', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  const newMaker = (): OtpMaker => new OtpMaker(rows.db, sealer, config, queues, logger);
  const [accountId, configId] = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Account')`, [accountId]);
  const templateId = await addTemplate(rows, accountId);
  const addConfig = (id: string, name: string): Promise<unknown> =>
    insertConfig(rows.db, {
      ...configOf(sealer, accountId, id),
      name,
      ...settings,
      id,
      accountId,
      createdAt: new Date(),
    });
  await addConfig(configId, 'login');
  const ask = asker(rows, accountId, configId);
  return {
    rows,
    sealer,
    /** Opens the text or code of a submission. */
    open: ({ id, sealed }: StoredSubmission): string => sealer.open(sealed, submissionRow(accountId, id)),
    enqueued,
    lines,
    accountId,
    configId,
    templateId,
    maker: newMaker(),
    newMaker,
    newFlow: (): OtpFlow => new OtpFlow(rows.db, sealer, queues, logger),
    /** Stores a verification as the API does. */
    ask,
    /** Stores a verification whose configuration has another value in one column. */
    askBroken: async (column: 'flow' | 'test_numbers', value: string): Promise<string> => {
      const broken = randomUUIDv7();
      await addConfig(broken, broken);
      await rows.db.query(`UPDATE verification_config SET ${column} = $1 WHERE id = $2`, [value, broken]);
      return ask({ configId: broken, recipient: '919800000199', isTest: column === 'test_numbers' });
    },
    submissions: (): Promise<StoredSubmission[]> => rows.db.query('SELECT * FROM submission ORDER BY id'),
    verifications: (): Promise<StoredVerification[]> =>
      rows.db.query('SELECT * FROM verification ORDER BY id'),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  };
}

function asker({ db }: TestRows, accountId: string, first: string) {
  return async ({ configId = first, ...given }: Partial<Asked> = {}): Promise<string> => {
    const asked = { recipient: '919800000100', country: 'IN', isTest: false, replaces: null, ...given };
    const id = randomUUIDv7();
    const held = await lockNumbers(db, [{ accountId, recipient: asked.recipient }]);
    await saveSends(
      db,
      held.map((number) => ({ ...number, sends: [{ at: number.now, configId, verifyId: id }] })),
    );
    const rest = {
      configId,
      keyId: randomUUIDv7(),
      maxAttempts: 5,
      ttlSeconds: 300,
      guardReason: null,
      idempotency: null,
    };
    await insertVerifications(db, [{ id, accountId, ...asked, ...rest }]);
    return id;
  };
}

/** Queues that list the submissions enqueued to them. */
function fakeQueues() {
  const enqueued: Record<NewSubmission['channel'], string[]> = { sms: [], chatapp: [] };
  const get = (definition: QueueDefinition) => ({
    enqueue: (ids: string[]) => enqueued[definition === SMS_QUEUES.OTP ? 'sms' : 'chatapp'].push(...ids),
  });
  return { queues: { get } as unknown as Queues, enqueued };
}

function configOf(sealer: Sealer, accountId: string, configId: string): ConfigSettings {
  const number = '919800000199';
  return {
    ...OTP_DEFAULTS,
    name: 'login',
    enabled: true,
    flow: [{ channel: 'sms', afterSeconds: 0 }],
    template: null,
    sender: 'SIGNALBX',
    text: 'Code {{code}}',
    webOtpDomain: null,
    androidHash: null,
    testNumbers: [
      {
        number,
        sealedCode: sealer.seal('424242', testNumberRow(accountId, configId, number)).toString('base64'),
        until: '2030-01-01T00:00:00.000Z',
      },
    ],
  };
}

/** Stores an approved template for codes, and a number to send it from. */
async function addTemplate({ db }: TestRows, accountId: string): Promise<string> {
  const chatAccountId = await addSender(db, accountId, TEMPLATE.from);
  const id = randomUUIDv7();
  const components = [{ type: 'BODY', text: '{{1}} is your code.' }];
  const content = {
    category: 'AUTHENTICATION' as const,
    components,
    allowCategoryChange: false,
    codeExpirationMinutes: null,
  };
  await insertTemplates(
    db,
    accountId,
    [{ id, chatAccountId, name: TEMPLATE.name, language: 'en', ...content }],
    'test',
    new Date(),
  );
  await decideTemplates(db, [{ id, decision: 'approve' }], 'test');
  return id;
}
