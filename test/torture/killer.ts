import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { APPS, type AppName, type AppProcess } from '../../tools/servers/app-process.ts';
import type { Service } from '../support/service.ts';
import { pick } from './random.ts';

export type Victim = AppName | 'redis' | 'postgres' | 'twin';

/** The longest pause before a killed process is started again. */
const PAUSE_MS = 500;
const RETRY_MS = 250;
const STARTS = 120;

/** Kills processes of a service and starts them again, several at the same time. */
export class Killer {
  readonly kills: Record<string, number> = {};
  private readonly service: Service;
  private readonly random: () => number;
  private readonly twin: AppProcess | undefined;
  private readonly down = new Map<Victim, Promise<void>>();

  /** @param twin the process that the victim `twin` means */
  constructor(service: Service, random: () => number, twin?: AppProcess) {
    this.service = service;
    this.random = random;
    this.twin = twin;
  }

  get count(): number {
    return Object.values(this.kills).reduce((sum, each) => sum + each, 0);
  }

  /** Kills one process that runs, and starts it again in the background. */
  async killOne(victims: readonly Victim[]): Promise<void> {
    const up = () => victims.filter((victim) => !this.down.has(victim));
    await waitFor(() => up().length > 0, { otherwise: 'no process came back' });
    const victim = pick(this.random, up());
    this.kills[victim] = (this.kills[victim] ?? 0) + 1;
    const back = this.kill(victim).finally(() => this.down.delete(victim));
    this.down.set(victim, back);
  }

  /** Resolves when every killed process is ready again. @throws Error for one that does not come back */
  async untilUp(): Promise<void> {
    await Promise.all(this.down.values());
  }

  private async kill(victim: Victim): Promise<void> {
    if (victim === 'postgres') return this.killPostgres();
    if (victim === 'redis') return this.killRedis();
    const app = victim === 'twin' ? this.twin : this.service.stack.process(victim);
    if (!app) throw new Error('there is no twin');
    app.kill('SIGKILL');
    await waitFor(() => app.pid === undefined, { otherwise: `${victim} did not die` });
    await delay(this.random() * PAUSE_MS);
    for (let starts = 1; ; starts += 1) {
      try {
        return await app.start();
      } catch (error) {
        // One that starts while Postgres or Redis is down may end.
        if (starts === STARTS) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  private async killRedis(): Promise<void> {
    const { redis } = this.service.stack;
    await redis?.process.stop('SIGKILL');
    await delay(this.random() * PAUSE_MS);
    await redis?.start();
  }

  /** Kills one session, whose end makes Postgres recover as from a crash, or cuts all of it off. */
  private async killPostgres(): Promise<void> {
    const { postgres } = this.service.stack;
    if (this.random() < 0.5) return postgres?.crash();
    const [session] = await this.service.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
    );
    if (session) process.kill(session.pid, 'SIGKILL');
    await waitFor(() => this.answers(), { otherwise: 'Postgres did not come back' });
  }

  private answers(): Promise<boolean> {
    return this.service.query('SELECT').then(
      () => true,
      () => false,
    );
  }
}

/** Every process of a service with all five apps. */
export const ALL_VICTIMS: readonly Victim[] = [...APPS, 'redis', 'postgres'];
