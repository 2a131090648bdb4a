import { randomBytes } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { otpMac } from '@signalbox/domain/verify/otp-code';
import { waitFor } from '../../tools/servers/wait-for.ts';
import type { AppName } from '../../tools/stack.ts';
import { A_QUEUE } from '../support/queue.ts';
import { FAULT_ROUNDS, RECOVERY_MS, type Service, startService } from '../support/service.ts';

const APPS: AppName[] = ['api', 'sms-worker', 'otp-worker'];
const VICTIMS = Array.from({ length: FAULT_ROUNDS }, (): AppName[] => [
  'otp-worker',
  'sms-worker',
  'api',
]).flat();
const PEPPER = randomBytes(32).toString('base64');
const USERS = 4;
const REQUEST_EVERY_MS = 400;

/** Unsubmitted messages: users read codes from the database here, and may use one before its SMS is submitted. */
const PENDING = `SELECT FROM submission WHERE fanned_out_at IS NULL UNION ALL SELECT FROM message WHERE status = 'PENDING'`;

test('after any kill each verification gets one code, valid once, and none is stuck', async () => {
  await using service = await startService({ queue: A_QUEUE.name, apps: APPS, env: { OTP_PEPPER: PEPPER } });
  const users = await Users.start(service);

  for (const app of VICTIMS) {
    await delay(300 + Math.random() * 500);
    const victim = service.stack.process(app);
    await victim.crash();
    await victim.start();
  }
  const before = users.uses.size;
  await waitFor(() => users.uses.size >= before + USERS, { otherwise: 'users got no codes after the kills' });
  await users.stopRequests();
  await waitFor(() => users.areDone(), { timeoutMs: RECOVERY_MS, otherwise: 'some codes could not be used' });

  await waitFor(async () => (await service.query(PENDING)).length === 0, {
    timeoutMs: RECOVERY_MS,
    otherwise: 'some codes were not submitted',
  });

  expect([...users.uses].filter(([, successes]) => successes > 1)).toEqual([]);
  const [made] = await service.query<{ codes: number; sms: number; submitted: number }>(
    `SELECT (SELECT count(*) FROM verification WHERE submission_id IS NOT NULL)::integer AS codes,
              (SELECT count(*) FROM submission)::integer AS sms,
              (SELECT count(*) FROM message WHERE status <> 'PENDING')::integer AS submitted`,
  );
  expect(made).toEqual({ codes: made!.codes, sms: made!.codes, submitted: made!.codes });
  expect(await service.query(`SELECT id FROM verification WHERE status = 'WAITING'`)).toEqual([]);
});

/** Users who request codes, and type each of them five times concurrently. */
class Users {
  /** Successful uses of the code of each verification. */
  readonly uses = new Map<string, number>();
  /** The codes found so far, by verification: to find one takes thousands of MACs. */
  private readonly codes = new Map<string, string>();
  private readonly requesting: Promise<void[]>;
  private readonly typing: Promise<void>;
  private isRequesting = true;
  /** Until the last request has its response: its code is typed, too. */
  private isTyping = true;
  private number = 919_800_000_100;

  private constructor(
    private readonly service: Service,
    private readonly configId: string,
  ) {
    this.requesting = Promise.all(Array.from({ length: USERS }, () => this.request()));
    this.typing = this.type();
  }

  static async start(service: Service): Promise<Users> {
    await call(
      service,
      '/v1/verify/policy',
      { maxSendsPerPrefixPerHour: null, dailyCredits: null, fraudGuard: 'off' },
      'PATCH',
    );
    const config = await call(service, '/v1/verify/configs', {
      name: 'login',
      sender: 'SIGNALBX',
      codeLength: 4,
      ttlSeconds: 3_600,
    });
    if (config?.status !== 201) throw new Error('the configuration was not created');
    return new Users(service, (config.data as { id: string }).id);
  }

  async stopRequests(): Promise<void> {
    this.isRequesting = false;
    await this.requesting;
    this.isTyping = false;
  }

  async areDone(): Promise<boolean> {
    const open = await this.service.query(`SELECT FROM verification WHERE status IN ('WAITING', 'SENT')`);
    if (open.length > 0) return false;
    await this.typing;
    return true;
  }

  private async request(): Promise<void> {
    while (this.isRequesting) {
      const answer = await call(this.service, '/v1/verify', {
        configId: this.configId,
        to: String((this.number += 10_001)),
      });
      if (answer?.status === 200) this.uses.set(answer.data as string, 0);
      await delay(REQUEST_EVERY_MS);
    }
  }

  /** Types codes until every requested one is used. */
  private async type(): Promise<void> {
    for (let open = 1; this.isTyping || open > 0; await delay(50)) {
      const waiting = await this.service.query<{ id: string; accountId: string; mac: Buffer | null }>(
        `SELECT id, account_id AS "accountId", code_mac AS mac FROM verification WHERE status IN ('WAITING', 'SENT') LIMIT 50`,
      );
      open = waiting.length;
      const typing: Promise<void>[] = [];
      for (const { id, accountId, mac } of waiting) {
        if (!mac) continue;
        const code = this.codes.get(id) ?? codeOf(accountId, id, mac);
        this.codes.set(id, code);
        typing.push(this.typeFiveTimes(id, code));
        await nextTick(); // the answers of the apps do not wait for all searches
      }
      await Promise.all(typing);
    }
  }

  private async typeFiveTimes(verifyId: string, otp: string): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(this.service, '/v1/verify/validate', { verifyId, otp })),
    );
    const successes = answers.filter((answer) => answer?.status === 200).length;
    this.uses.set(verifyId, (this.uses.get(verifyId) ?? 0) + successes);
  }
}

/** Finds the code of a MAC, which takes the pepper. */
function codeOf(accountId: string, verifyId: string, mac: Buffer): string {
  for (let i = 0; i < 10_000; i += 1) {
    const code = String(i).padStart(4, '0');
    if (otpMac(PEPPER, accountId, verifyId, code).equals(mac)) return code;
  }
  throw new Error('the MAC is of no code of four digits');
}

/** Calls the API. Returns undefined without a response: the api is down. */
async function call(
  { stack: { apiUrl, apiKey } }: Service,
  path: string,
  body: object,
  method = 'POST',
): Promise<{ status: number; data: unknown } | undefined> {
  try {
    const response = await fetch(apiUrl + path, {
      method,
      headers: { apikey: apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, data: ((await response.json()) as { data: unknown }).data };
  } catch {
    return undefined;
  }
}
