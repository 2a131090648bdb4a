import { join } from 'node:path';
import { explainStartFailure } from './start-failure.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { waitFor } from './wait-for.ts';

export const APPS = ['api', 'sms-worker', 'dlr-worker', 'chatapp-worker', 'otp-worker'] as const;
export type AppName = (typeof APPS)[number];

export interface AppOptions {
  name: AppName;
  /** The data folder, which notes its pid. */
  dir: string;
  port: number;
  env: NodeJS.ProcessEnv;
  /** False runs the compiled modules. */
  bundled: boolean;
  /** Gets each line it writes; without it, the last ones stand in the error when it does not start. */
  onLine?: ((line: string) => void) | undefined;
  /** Called with a sentence, and the last lines that nobody read. */
  onEvent: (text: string) => void;
}

const ROOT = join(import.meta.dirname, '../..');
const READY_TIMEOUT_MS = 60_000;
/** Last lines that are kept, among which the reason of a failed start is searched. */
const TAIL = 50;
/** Last lines that are shown, where nobody else got them. */
const SHOWN = 15;

/** Returns the host at which this machine reaches a process that listens at `host`. */
function reachableHost(host = ''): string {
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** One of the five apps as a process, as built. */
export class AppProcess {
  readonly url: string;
  private readonly process: SupervisedProcess;
  private readonly tail: string[] = [];
  private isStarting = false;
  // Node runs this file as it is, and knows no parameter properties.
  private readonly options: AppOptions;

  constructor(options: AppOptions) {
    this.options = options;
    const { name, dir, port, env, bundled } = options;
    this.url = `http://${reachableHost(env['HOST'])}:${port}`;
    this.process = new SupervisedProcess({
      name,
      command: process.execPath,
      args: [join(ROOT, 'apps', name, bundled ? 'dist/bundle/main.js' : 'dist/main.js')],
      env: { ...env, PORT: String(port) },
      pidFile: join(dir, `${name}.pid`),
      onEvent: (text) => {
        if (!this.isStarting) options.onEvent([text, ...this.unseen()].join('\n  '));
      },
      onLine: (line) => this.keep(line),
    });
  }

  /** Makes another process of the app with the same settings; `dir` notes its pid. */
  twin(dir: string, port: number): AppProcess {
    return new AppProcess({ ...this.options, dir, port });
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.process.pid;
  }

  /** The reason of its last exit; undefined before the first. */
  get lastEnd(): string | undefined {
    return this.process.lastEnd;
  }

  /** Sends a signal; what dies of it is started again after a second. */
  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Kills it, and resolves when it has exited; it stays so until start(). */
  crash(): Promise<void> {
    return this.process.stop('SIGKILL');
  }

  /** Lets it drain and end, for at most 25 s by itself; it is killed after 30 s. It stays so until start(). */
  stop(): Promise<void> {
    return this.process.stop();
  }

  /**
   * Starts the process and waits until /readyz answers that it is ready.
   *
   * @throws Error with the reason and what to do, when it exits immediately or is not ready within 60 s
   */
  async start(signal?: AbortSignal): Promise<void> {
    this.isStarting = true;
    try {
      await this.process.start();
      await waitFor(() => this.isReadyOrEnded(), {
        timeoutMs: READY_TIMEOUT_MS,
        otherwise: () => `${this.explain()} It was not ready`,
        signal,
      });
    } finally {
      this.isStarting = false;
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Returns true when /readyz returns 200. */
  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) });
      await answer.body?.cancel();
      return answer.ok;
    } catch {
      return false;
    }
  }

  private isReadyOrEnded(): Promise<boolean> {
    if (this.pid !== undefined) return this.isReady();
    throw new Error([this.explain(), ...this.unseen()].join('\n  '));
  }

  /** The last lines, unless they are read as they come. */
  private unseen(): string[] {
    return this.options.onLine ? [] : this.tail.slice(-SHOWN);
  }

  private explain(): string {
    const ended = this.lastEnd ? `It ended with ${this.lastEnd}.` : 'No line of its log says why.';
    return `${this.process.name}: ${explainStartFailure(this.tail) ?? ended}`;
  }

  private keep(line: string): void {
    this.options.onLine?.(line);
    this.tail.push(line);
    if (this.tail.length > TAIL) this.tail.shift();
  }
}
