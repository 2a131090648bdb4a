import { globSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LAST_ID } from '@signalbox/domain/id-time';
import { createDatabase, type TestDatabase } from '@signalbox/test/database';
import { newReport, newSubmission } from '@signalbox/test/rows';
import { DataSource, type EntityManager } from 'typeorm';
import { DEFAULT_POLICY } from '../verify/policies.ts';
import { dataSourceOptions } from './data-source.ts';
import { readSchema } from './schema.ts';
import { StatementClient } from './statement-client.ts';

/*
 * Keeps libs/database/queries/*.sql, every statement as it is sent, and libs/database/schema.sql, the schema after all
 * migrations, so that a review sees SQL. `UPDATE_QUERIES=1` writes them; without it a difference fails.
 */

const LIB = join(import.meta.dirname, '../..');
const IS_UPDATE = process.env['UPDATE_QUERIES'] === '1';

let database: TestDatabase;
let source: DataSource;
let statements: Map<string, Statements>;

beforeAll(async () => {
  database = await createDatabase();
  const options = dataSourceOptions({
    url: database.url,
    applicationName: 'queries',
    poolSize: 1,
    commit: 'durable',
  });
  source = await new DataSource({
    ...options,
    extra: { ...(options.extra as object), Client: RecordingClient },
  } as typeof options).initialize();
  await source.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [ID]);
  statements = await findStatements();
});
afterAll(async () => {
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

test('every function that sends statements is called here, and no other', () => {
  expect(Object.keys(CALLS).toSorted()).toEqual([...statements.keys()].toSorted());
});

test('queries/*.sql are the statements as sent, at most 120 columns wide', async () => {
  const sent = new Map<string, string>();
  for (const [name, calls] of Object.entries(CALLS)) {
    const recorded = await record(statements.get(name)!, calls);
    expect([name, recorded.length]).not.toEqual([name, 0]);
    sent.set(`${name}.sql`, `${recorded.map((text) => `${alignStatement(text)};`).join('\n\n')}\n`);
  }

  const dir = join(LIB, 'queries');
  if (IS_UPDATE) writeAll(dir, sent);

  expect(readdirSync(dir).toSorted()).toEqual([...sent.keys()].toSorted());
  for (const [file, text] of sent)
    expect([file, readFileSync(join(dir, file), 'utf8')]).toEqual([file, text]);
  expect(tooWide(sent)).toEqual([]);
});

test('schema.sql is the schema after all migrations', async () => {
  const schema = await readSchema(source.manager);

  if (IS_UPDATE) writeFileSync(join(LIB, 'schema.sql'), schema);

  expect(readFileSync(join(LIB, 'schema.sql'), 'utf8')).toBe(schema);
});

test('every migration file is listed', async () => {
  const files = globSync(join(LIB, 'src/migrations/[0-9]*.ts'));

  expect(Object.keys(await import('../migrations/list.ts'))).toHaveLength(files.length);
});

/** TypeORM quotes its identifiers and writes on one line; the house rule is for statements written by hand. */
function tooWide(sent: ReadonlyMap<string, string>): string[] {
  return [...sent].flatMap(([file, text]) =>
    text
      .split('\n')
      .filter((line) => line.length > 120 && !line.includes('"."') && !/^(INSERT INTO|UPDATE) "/.test(line))
      .map((line) => `${file}: ${line}`),
  );
}

function writeAll(dir: string, files: ReadonlyMap<string, string>): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  for (const [file, text] of files) writeFileSync(join(dir, file), text);
}

/** The place of a clause in a statement that begins with SELECT, UPDATE, DELETE or INSERT at 0: keywords end in one column. */
const KEYWORD = /^ *(FROM|WHERE|ORDER|SET|RETURNING|ON CONFLICT|SELECT|VALUES)\b/;
const PLACES: Record<string, number> = { FROM: 2, WHERE: 1, ORDER: 1, SET: 3 };

/** Removes the indentation that a statement has in the source. */
function alignStatement(text: string): string {
  const [first, ...lines] = text.split('\n');
  const shifts = lines.flatMap((line) => {
    const keyword = KEYWORD.exec(line)?.[1];
    return keyword ? [line.search(/\S/) - (PLACES[keyword] ?? 0)] : [];
  });
  const shift = Math.max(0, Math.min(...shifts, Number.MAX_SAFE_INTEGER));
  return [first, ...lines.map((line) => line.slice(Math.min(shift, line.search(/\S|$/))))].join('\n');
}

/** Notes each statement, in the form in which StatementClient gets it. */
class RecordingClient extends StatementClient {
  static sent = new Set<string>();

  override query(text: unknown, values?: unknown, callback?: unknown): unknown {
    if (typeof text === 'string') RecordingClient.sent.add(text);
    return super.query(text, values, callback);
  }
}

const TRANSACTION = /^(START TRANSACTION|COMMIT|ROLLBACK)/;

type Statements = (db: EntityManager, ...args: unknown[]) => unknown;

/** Returns the statements that the calls send, in order, each once. */
async function record(send: Statements, calls: unknown[][]): Promise<string[]> {
  RecordingClient.sent = new Set();
  for (const args of calls) {
    await source.transaction(async (db) => {
      const result = await send(db, ...args);
      if (isGenerator(result)) await result.next();
    });
  }
  return [...RecordingClient.sent].filter((text) => !TRANSACTION.test(text));
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.asyncIterator in value;
}

/** Finds the exported functions of this library that take an EntityManager, by `<folder>-<name>`. */
async function findStatements(): Promise<Map<string, Statements>> {
  const found = new Map<string, Statements>();
  const files = globSync(join(LIB, 'src/*/*.ts')).filter((file) => !file.endsWith('.spec.ts'));
  for (const file of files.filter((path) => !path.includes('/migrations/') && !path.includes('/core/'))) {
    const exported = Object.entries((await import(file)) as Record<string, unknown>);
    for (const [name, value] of exported.filter(([, each]) => takesManager(each)))
      found.set(`${basename(dirname(file))}-${name}`, value as Statements);
  }
  return found;
}

function takesManager(value: unknown): boolean {
  return typeof value === 'function' && /^(async )?function\*? \w+\(db\b/.test(String(value));
}

const ID = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66';
const NOW = new Date('2026-05-01T10:00:00Z');
const KEY = { submissionId: ID, n: 1 };
const CALL = { path: '/v1/sms', key: 'key', bodyHash: Buffer.of(1) };
const WEBHOOK = {
  ...{
    name: 'name',
    provider: 'any',
    method: 'POST',
    endPoint: 'https://example.com',
    headers: [],
    fields: [],
  },
  ...{ events: [], intermediate: false, filters: {}, schedule: null, maxInFlight: 4, ratePerSecond: null },
};
const CONTENT = {
  category: 'UTILITY',
  components: [],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};
const CONFIG = {
  ...{
    name: 'name',
    enabled: true,
    flow: [{ channel: 'sms', afterSeconds: 0 }],
    stopOn: 'delivered',
    template: null,
  },
  ...{
    codeLength: 6,
    alphabet: 'numeric',
    ttlSeconds: 300,
    maxAttempts: 3,
    resendAfterSeconds: 30,
    sender: 'SIGNAL',
  },
  ...{ maxSendsPer10Minutes: 3, maxSendsPerDay: 10, text: '{{code}}', webOtpDomain: null, androidHash: null },
  testNumbers: [],
};
const SMS_TEMPLATE = {
  ...{
    name: 'name',
    text: 'text',
    sender: null,
    type: null,
    dltEntityId: null,
    dltTemplateId: null,
    createdAt: NOW,
  },
};
const INBOUND = {
  ...{ id: ID, gateway: 'simulator', gatewayMessageId: '1', from: '1', to: '2', kind: 'text', content: {} },
  ...{ replyTo: null, sentAt: NOW, receivedAt: NOW, wish: null },
};
const STEP = {
  ...{ verifyId: ID, accountId: ID, step: 1, channel: 'sms', afterSeconds: 0, stopsOnDelivery: true },
  ...{ submissionId: null, skipReason: 'reason', later: null },
};
const SUSPICION = { accountId: ID, dimension: 'country', value: 'IN', action: 'flagged' };
const VERIFICATION = {
  ...{ id: ID, accountId: ID, configId: ID, keyId: ID, recipient: '1', country: 'IN', isTest: false },
  ...{ maxAttempts: 3, ttlSeconds: 300, guardReason: null, idempotency: null, replaces: ID },
};
const SUBMIT = { ...KEY, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 };
const REPLAY = {
  ...{ id: ID, webhookId: ID, status: 'RUNNING', statuses: ['EXHAUSTED'], from: NOW, to: NOW },
  ...{ ratePerSecond: 1, total: 0, replayed: 0, createdAt: NOW, finishedAt: null },
};
const FILTERS = [{}, { campaign: 'a' }, { clientRef: 'a' }, { status: 'FAILED' }, { recipient: '1' }];
const SHARE = { budget: 1, allowances: new Map(), after: null, quiet: [] };

/** The arguments of each function that sends statements; several calls where they send different ones. */
const CALLS: Record<string, unknown[][]> = {
  'accounts-deleteOptOut': [[ID, ID]],
  'accounts-findOptOut': [[ID, ID]],
  'accounts-listKeyHolders': [[[]]],
  'accounts-listOptOuts': [[ID, 10]],
  'accounts-listPacedAccounts': [[]],
  'accounts-upsertOptOuts': [[ID, []]],
  'accounts-wouldRefuse': [[ID, 'PROMO', 'sender', '1']],
  'chat-changeChatAccount': [[ID, 1, { name: 'name' }]],
  'chat-changeChatSender': [[ID, 1, '1', 80]],
  'chat-deleteChatAccount': [[ID, 1, 'actor']],
  'chat-deleteChatSender': [[ID, 1, '1']],
  'chat-fanOutChat': ['CHAT', 'CHAT_OTP'].map((lane) => [lane, { budget: 1, after: null, leaseSeconds: 1 }]),
  'chat-findChatAccount': [[ID, 1]],
  'chat-findInbound': [[ID, ID]],
  'chat-findLastInbound': [[ID, '1', '2']],
  'chat-findSendingNumbers': [[[]]],
  'chat-insertChatAccount': [
    [ID, { id: 1, name: 'name', sessionWindow: 'off', createdAt: NOW, updatedAt: NOW }],
  ],
  'chat-insertChatSender': [[ID, 1, { msisdn: '1', messagesPerSecond: 80, createdAt: NOW }]],
  'chat-insertInbounds': [[[INBOUND]]],
  'chat-listChatAccounts': [[ID, 10, 1]],
  'chat-listChatSenders': [[ID, 1, 10, '1']],
  'chat-listInboundAfter': [[ID, { sender: '1', recipient: '2', ...KEY }]],
  'chat-listInbounds': [
    [ID, {}, 10],
    [ID, { from: '1' }, 10],
  ],
  'chat-lockChatAccount': [[ID, 1]],
  'chat-nextChatAccountId': [[]],
  'messages-addUpClicks': [[]],
  'messages-deleteExpiredLinks': [[]],
  'messages-findMessage': [[ID, KEY]],
  'messages-findShortLinks': [[[]]],
  'messages-insertClicks': [[[]]],
  'messages-insertShortLinks': [[[], 30]],
  'messages-listClicks': [[ID, KEY]],
  'messages-listMessages': FILTERS.map((filter) => [ID, filter, 10]),
  'messages-listParties': [[[]]],
  'messages-listTimeline': [[ID, []]],
  'messages-recordChatSubmits': [['simulator', [SUBMIT]]],
  'messages-recordSubmits': [['simulator', [SUBMIT]]],
  'ops-beat': [['dlr', ID]],
  'ops-claimLostCallbacks': [[NOW]],
  'ops-claimLostReports': [[NOW]],
  'ops-claimLostReviews': [[NOW]],
  'ops-claimLostVerifications': [[NOW]],
  'ops-claimOverdue': [['simulator', NOW]],
  'ops-countParked': [[]],
  'ops-deleteOldest': [[30]],
  'ops-findCarrierImport': [[]],
  'ops-insertPhoneMessages': [[[]]],
  'ops-leave': [['dlr', ID]],
  'ops-listCarriers': [[ID]],
  'ops-listLostMessages': [[['TRANS']]],
  'ops-listPhoneMessages': [[ID, '1', 10, undefined]],
  'ops-replaceCarriers': [[(async function* () {})(), 'source']],
  'ops-sweepPhoneMessages': [[]],
  'ops-withAdvisoryLock': [['name', () => undefined]],
  'reports-applyReports': [[[]]],
  'reports-insertCallbacks': [[[]]],
  'reports-insertReports': [[[newReport(ID)]]],
  'reports-listUnmoved': [[[]]],
  'reports-lockCallbacks': [[[]]],
  'reports-markCallbacksProcessed': [[[]]],
  'reports-sweepCallbacks': [[]],
  'submissions-cancelSubmission': [[ID, 'sms', ID]],
  'submissions-claimKey': [
    [ID, CALL, Buffer.of(1)],
    [ID, CALL, Buffer.of(1)],
  ],
  'submissions-countReady': [['sms'], ['chatapp']],
  'submissions-fanOut': [[[], 1]],
  'submissions-fanOutFairly': [['TRANS', SHARE, 1]],
  'submissions-findFirstCall': [[ID, '/v1/sms', 'key']],
  'submissions-findProgress': [[ID, 'sms', ID]],
  'submissions-insertSubmissions': [[[newSubmission()]]],
  'submissions-listWaitingLanes': [['sms'], ['chatapp']],
  'submissions-readyDue': [['sms']],
  'submissions-reclaim': [[[], 1]],
  'submissions-release': [[[], 1, []]],
  'submissions-requireTimeZones': [[[]]],
  'submissions-sweepIdempotencyKeys': [[]],
  'submissions-wipeAbandonedSecrets': [[]],
  'submissions-wipeDispatched': [[[]]],
  'templates-decideTemplates': [[[], 'actor']],
  'templates-deleteMedia': [[[]]],
  'templates-deleteSmsTemplate': [[ID, ID]],
  'templates-deleteTemplate': [[ID, ID, 'actor']],
  'templates-editTemplate': [[ID, { id: ID, version: 1 }, CONTENT, 'actor']],
  'templates-findSendableTemplates': [[[]]],
  'templates-findSmsTemplate': [[ID, ID]],
  'templates-findTemplate': [[ID, ID]],
  'templates-finishMedia': [[ID, { kind: 'image', mimeType: 'image/png', sizeBytes: 1 }]],
  'templates-insertMedia': [[ID, ID, 'handle']],
  'templates-insertSmsTemplate': [[{ id: ID, accountId: ID, ...SMS_TEMPLATE }]],
  'templates-insertTemplates': [[ID, [], 'actor', NOW]],
  'templates-listAbandonedMedia': [[]],
  'templates-listPendingTemplates': [[[]]],
  'templates-listSmsTemplates': [[ID, 10, ID]],
  'templates-listSmsTemplatesByKey': [[[]]],
  'templates-listTemplateEvents': [[ID, ID, 10]],
  'templates-listTemplateVersions': [[[]]],
  'templates-listTemplates': [[ID, {}, 10]],
  'templates-secondsToNextEdit': [[{ editsLeftThisMonth: 1 }]],
  'templates-updateSmsTemplate': [[ID, ID, { name: 'name' }]],
  'templates-useMedia': [[ID, []]],
  'verify-claimSteps': [[null, 10]],
  'verify-countEnded': [[]],
  'verify-countSuspicions': [[[SUSPICION]]],
  'verify-deleteConfig': [[ID, ID]],
  'verify-expireVerifications': [[]],
  'verify-findCodeTemplates': [[[{ accountId: ID, name: 'name', language: null, from: '1' }]]],
  'verify-findConfig': [[ID, ID]],
  'verify-findVerification': [[ID, ID]],
  'verify-handOver': [[[]]],
  'verify-insertConfig': [[{ id: ID, accountId: ID, createdAt: NOW, ...CONFIG }]],
  'verify-insertSteps': [[[STEP]]],
  'verify-insertVerifications': [[[VERIFICATION]]],
  'verify-listConfigs': [[ID, 10, ID]],
  'verify-listConversions': [[[]]],
  'verify-listFirstVerifications': [['/v1/verify', []]],
  'verify-listGuardedTraffic': [[ID, 50, 10]],
  'verify-listPolicies': [[[ID]]],
  'verify-listStats': [undefined, 'day', 'config', 'country'].map((group) => [
    { accountId: ID, from: '2026-05-01', to: '2026-05-02', configId: null, country: null },
    group,
  ]),
  'verify-listUsableConfigs': [[[ID]]],
  'verify-listWaiting': [[[]]],
  'verify-lockConfig': [[ID, ID]],
  'verify-lockNumbers': [[[]]],
  'verify-lockPolicy': [[ID]],
  'verify-lockQuotas': [[[]]],
  'verify-saveQuotas': [[[]]],
  'verify-saveSends': [[[]]],
  'verify-sweepVerifications': [[]],
  'verify-tryCodes': [[[], Buffer.of(1)]],
  'verify-updateConfig': [[ID, ID, CONFIG]],
  'verify-updatePolicy': [[ID, DEFAULT_POLICY]],
  'webhooks-addEndpoints': [[[]]],
  'webhooks-advanceReplays': [[]],
  'webhooks-cancelReplay': [[ID, ID, ID]],
  'webhooks-claimProbes': [[[], 1]],
  'webhooks-claimPushes': [[[], 1]],
  'webhooks-countEndpoints': [[]],
  'webhooks-countReplayable': [['EXHAUSTED'], ['DELIVERED']].map((statuses) => [
    { webhookId: ID, statuses, from: NOW, to: NOW },
  ]),
  'webhooks-deleteWebhook': [[ID, ID]],
  'webhooks-disableWebhook': [[ID, 'reason']],
  'webhooks-enableWebhook': [[ID, ID]],
  'webhooks-findDelivery': [[ID, { webhookId: ID, reportId: ID }]],
  'webhooks-findReplay': [[ID, ID, ID]],
  'webhooks-findWebhook': [[ID, ID]],
  // a replay names its webhook
  'webhooks-insertWebhook': [
    [{ id: ID, accountId: ID, channel: 'sms', sealedSecret: Buffer.of(1), createdAt: NOW, ...WEBHOOK }],
  ],
  'webhooks-insertReplay': [[ID, REPLAY]],
  'webhooks-listDeliveries': [
    [ID, { statuses: ['DELIVERED'] }, 10],
    [ID, { statuses: ['EXHAUSTED'], reportIds: [LAST_ID] }, 10],
  ],
  'webhooks-listDueEndpoints': [[]],
  'webhooks-listFailedAttempts': [[ID, []]],
  'webhooks-listPredecessors': [[[]]],
  'webhooks-listPushTargets': [[[]]],
  'webhooks-listReplayableReports': [[KEY]],
  'webhooks-listSealedWith': [[[]]],
  'webhooks-listWebhooks': [[ID, 10, ID]],
  'webhooks-lockWebhook': [[ID, ID]],
  'webhooks-readEndpointStats': [[ID]],
  'webhooks-recordHealth': [[[]]],
  'webhooks-recordPushes': [[[], []]],
  'webhooks-replaceSecret': [[ID, Buffer.of(1), []]],
  'webhooks-replayPush': [[ID, { webhookId: ID, reportId: ID }]],
  'webhooks-resealSecret': [[ID, Buffer.of(1), Buffer.of(2)]],
  'webhooks-sweepPushes': [[]],
  'webhooks-updateWebhook': [[ID, ID, WEBHOOK]],
};
