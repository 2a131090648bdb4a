import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { writePidFile } from './pid-file.ts';

export interface ProcessOptions {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv | undefined;
  /** Whom to run as, when not as ourselves. */
  user?: { uid: number; gid: number } | undefined;
  /** Written to its standard input, which is then closed. */
  input?: string;
  /** A file that takes its output; without one, `onLine` gets it. */
  logFile?: string;
  onLine?: ((line: string) => void) | undefined;
  /** The file that notes it while it runs. */
  pidFile: string;
  stopSignal?: NodeJS.Signals;
  /** Milliseconds to wait for its end before it is killed; 30,000 by default, which no drain of an app takes. */
  stopTimeoutMs?: number;
  /** Done before each start. */
  prepare?: () => Promise<void>;
  /** Called with a sentence when it died and is about to be restarted, and when it does not stop and is killed. */
  onEvent?: ((text: string) => void) | undefined;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;
/** Uptime in milliseconds after which the count of restarts begins again. */
const HEALTHY_MS = 60_000;

/**
 * A child process that is started again when it ends by itself: after 1 s, doubling to 30 s. It leads a separate
 * process group: a Ctrl-C in the terminal reaches only this process, which then ends the others in order.
 */
export class SupervisedProcess implements AsyncDisposable {
  private readonly options: ProcessOptions;
  private child: ChildProcess | undefined;
  private gone = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private delayMs = FIRST_DELAY_MS;
  private startedAt = 0;
  private wanted = false;
  /** The reason of its last exit; undefined before the first. */
  lastEnd: string | undefined;

  constructor(options: ProcessOptions) {
    this.options = options;
  }

  get name(): string {
    return this.options.name;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it; a process that runs already is left alone. Says nothing about whether it is ready. */
  async start(): Promise<void> {
    this.wanted = true;
    clearTimeout(this.timer);
    if (this.child) return;
    await this.options.prepare?.();
    if (this.wanted && !this.child) this.spawn();
  }

  /** Sends a signal. What dies of it is started again, like anything that ends by itself. */
  kill(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /**
   * Asks it to end, kills it after `stopTimeoutMs`, and resolves when it has exited. It is not restarted before
   * start().
   */
  async stop(signal: NodeJS.Signals = this.options.stopSignal ?? 'SIGTERM'): Promise<void> {
    this.wanted = false;
    clearTimeout(this.timer);
    const child = this.child;
    if (!child) return;
    child.kill(signal);
    const { stopTimeoutMs = STOP_TIMEOUT_MS } = this.options;
    const killer = setTimeout(() => {
      this.options.onEvent?.(
        `${this.name} (process ${child.pid}) did not stop within ${stopTimeoutMs / 1000} s of ${signal}; killing it`,
      );
      child.kill('SIGKILL');
    }, stopTimeoutMs);
    await this.gone;
    clearTimeout(killer);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private spawn(): void {
    const { command, args, env, user, input, logFile, pidFile, stopSignal } = this.options;
    const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
    const child = spawn(command, args, {
      ...user,
      ...(env && { env }),
      // Whoever it runs as may not be allowed to enter our folder.
      cwd: user ? '/' : process.cwd(),
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', output, output],
    });
    if (typeof output === 'number') closeSync(output);
    this.child = child;
    this.startedAt = performance.now();
    this.gone = new Promise((resolve) => {
      const end = (how: string) => {
        this.ended(child, how);
        resolve();
      };
      child.once('error', (error) => end(error.message));
      // Its last lines come after its exit.
      child.once('close', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code}`));
    });
    if (child.pid !== undefined) writePidFile(pidFile, child.pid, stopSignal);
    child.stdin?.on('error', () => {}).end(input);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.options.onLine?.(line));
    }
  }

  private ended(child: ChildProcess, how: string): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.lastEnd = how;
    rmSync(this.options.pidFile, { force: true });
    if (performance.now() - this.startedAt > HEALTHY_MS) this.delayMs = FIRST_DELAY_MS;
    if (this.wanted) this.startLater(how);
  }

  private startLater(why: string): void {
    this.options.onEvent?.(`${this.name} stopped (${why}); starting it again in ${this.delayMs / 1000} s`);
    this.timer = setTimeout(() => {
      this.start().catch((error: Error) => this.startLater(error.message));
    }, this.delayMs);
    this.delayMs = Math.min(this.delayMs * 2, LONGEST_DELAY_MS);
  }
}
