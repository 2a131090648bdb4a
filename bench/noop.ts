import { resolve } from 'node:path';
import { readCpu } from './cpu.ts';
import type { LoadResult } from './generator.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { singleSms } from './single-sms.ts';

const CONNECTIONS = 64;

/**
 * Starts a server of the no-op route; asked for `url`, it returns its own.
 *
 * @param checkout the checkout whose route it is; this one by default
 */
export function startNoop(apiKey: string, checkout?: string): Promise<SideProcess> {
  const file = checkout === undefined ? 'noop-server.ts' : resolve(checkout, 'bench/noop-server.ts');
  return startSideProcess(file, { BENCH_API_KEY: apiKey });
}

/** Measures the unit of the pipeline's cost: CPU microseconds of the no-op route per request, one NU. */
export class NoopTurns implements AsyncDisposable {
  private cpuSeconds = 0;
  private requests = 0;
  private seconds = 0;
  private readonly server: SideProcess;
  private readonly load: SideProcess;
  private readonly apiKey: string;

  private constructor(server: SideProcess, load: SideProcess, apiKey: string) {
    this.server = server;
    this.load = load;
    this.apiKey = apiKey;
  }

  /** As `startNoop`. */
  static async start(apiKey: string, checkout?: string): Promise<NoopTurns> {
    const server = await startNoop(apiKey, checkout);
    return new NoopTurns(server, await startSideProcess('traffic-process.ts'), apiKey);
  }

  /** Loads the route and adds its use to the mean. */
  async turn(seconds: number): Promise<void> {
    const before = this.cpu();
    const { ok, perSecond } = await this.run(seconds);
    this.cpuSeconds += this.cpu() - before;
    this.requests += ok;
    this.seconds += ok / perSecond;
  }

  async warmUp(seconds: number): Promise<void> {
    await this.run(seconds);
  }

  /** CPU microseconds per request, over all turns. */
  get micros(): number {
    return this.microsSince({ cpuSeconds: 0, requests: 0 });
  }

  /** Requests per second at 64 connections, over all turns. */
  get perSecond(): number {
    return this.requests / this.seconds;
  }

  /** The turns so far, for `microsSince`. */
  reading(): { cpuSeconds: number; requests: number } {
    return { cpuSeconds: this.cpuSeconds, requests: this.requests };
  }

  microsSince(before: { cpuSeconds: number; requests: number }): number {
    return ((this.cpuSeconds - before.cpuSeconds) * 1e6) / (this.requests - before.requests);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.load[Symbol.asyncDispose]();
  }

  private async run(seconds: number): Promise<LoadResult> {
    const url = await this.server.ask<string>('url');
    return this.load.ask<LoadResult>('run', {
      ...singleSms(url, this.apiKey),
      connections: CONNECTIONS,
      seconds,
    });
  }

  private cpu(): number {
    return readCpu({ noop: [this.server.pid] }).get('noop') ?? 0;
  }
}
