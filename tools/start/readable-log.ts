import { parseLogLine } from '../servers/log-line.ts';
import type { AppName } from '../stack.ts';

const LEVEL_COLOURS: Record<string, number> = { debug: 90, info: 32, warn: 33, error: 31 };
const APP_COLOURS: Record<string, number> = {
  api: 36,
  'sms-worker': 35,
  'dlr-worker': 34,
  'chatapp-worker': 32,
  'otp-worker': 33,
};
/** Routine lines shown per second; further ones are only counted, because nobody can read more. */
const ROUTINE_PER_SECOND = 50;
/** Buffer for a slow reader. Lines above it are dropped, because the apps must not wait. */
const MAX_WAITING_BYTES = 1024 * 1024;
const LONGEST_FIELD = 200;

export interface Output {
  write(text: string): unknown;
  readonly writableLength: number;
}

/** Merges the JSON lines of the apps into one log for people: time, level, app, event, fields. */
export class ReadableLog {
  private readonly output: Output;
  private readonly hasColours: boolean;
  private routineLines = 0;
  private hidden = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(output: Output, hasColours: boolean) {
    this.output = output;
    this.hasColours = hasColours;
  }

  /** Writes one line of an app. Anything that is not one of our events is passed on as it is. */
  line(app: AppName, raw: string): void {
    const isRoutine = raw.startsWith('{"level":"info"') || raw.startsWith('{"level":"debug"');
    if (isRoutine && !this.hasRoom()) this.hidden += 1;
    else this.write(this.render(app, raw));
  }

  /** Writes a sentence of our own. */
  say(text: string): void {
    this.write(text);
  }

  private hasRoom(): boolean {
    this.timer ??= setTimeout(() => this.nextSecond(), 1_000).unref();
    this.routineLines += 1;
    return this.routineLines <= ROUTINE_PER_SECOND;
  }

  private nextSecond(): void {
    if (this.hidden > 0)
      this.write(this.paint(90, `… and ${this.hidden} more events in this second (LOG=json shows all)`));
    this.timer = undefined;
    this.routineLines = 0;
    this.hidden = 0;
  }

  private render(app: AppName, raw: string): string {
    const name = this.paint(APP_COLOURS[app] ?? 0, app.padEnd(14));
    const event = parseLogLine(raw);
    if (!event) return `${' '.repeat(13)}${' '.repeat(6)}${name} ${raw}`;
    const { level, time, app: _, event: what, message: __, ...fields } = event;
    const words = Object.entries(fields).map(
      ([key, value]) => `${this.paint(90, `${key}=`)}${level === 'error' ? full(value) : shorten(value)}`,
    );
    const at = this.paint(90, String(time).slice(11, 23));
    return `${at} ${this.paint(LEVEL_COLOURS[String(level)] ?? 0, String(level).padEnd(5))} ${name} ${[String(what), ...words].join(' ')}`;
  }

  private paint(colour: number, text: string): string {
    return this.hasColours ? `\u001B[${colour}m${text}\u001B[39m` : text;
  }

  private write(line: string): void {
    if (this.output.writableLength < MAX_WAITING_BYTES) this.output.write(`${line}\n`);
  }
}

/** Something broke that a person must fix: the stack says where. */
function full(value: unknown): string {
  return isError(value) ? value.stack : shorten(value);
}

function shorten(value: unknown): string {
  if (isError(value)) return value.message;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_FIELD ? `${text.slice(0, LONGEST_FIELD)}…` : text;
}

function isError(value: unknown): value is { message: string; stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && 'message' in value;
}
