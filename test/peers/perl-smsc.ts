import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../tools/servers/ports.ts';

/** Ids of the answer and of the receipt, as they differ between SMSCs. */
export const ID_FORMS = [
  'plain',
  'uuid',
  'hex-answer',
  'decimal-answer',
  'upper-answer',
  'zeros-receipt',
  'same',
  'empty',
] as const;

/** An SMSC of Perl's Net::SMPP. */
export interface PerlSmsc extends AsyncDisposable {
  port: number;
  /** Messages in order: `recipient esm_class data_coding entity-TLV text`, the last two in hexadecimal. */
  submitted: string[];
  /** Kills it and starts it again on its port. */
  restart: () => Promise<void>;
}

/** First numbers of the ids, so that those of a restarted SMSC differ. */
const FIRST_ID = 1_000_000;
const IDS_PER_START = 100_000;

/** Checks that Debian's package libnet-smpp-perl is installed. */
export function hasNetSmpp(): boolean {
  try {
    execFileSync('perl', ['-MNet::SMPP', '-e', '1'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts an SMSC, which serves one connection at a time. @param isEarly sends each receipt before its answer */
export async function startPerlSmsc(form: (typeof ID_FORMS)[number], isEarly = false): Promise<PerlSmsc> {
  const port = await freePort();
  const submitted: string[] = [];
  let starts = 0;
  const start = async (): Promise<ChildProcess> => {
    const firstId = FIRST_ID + starts * IDS_PER_START;
    starts += 1;
    return run([String(port), form, isEarly ? '1' : '0', String(firstId)], submitted);
  };
  let child = await start();
  return {
    port,
    submitted,
    restart: async () => {
      await kill(child);
      child = await start();
    },
    [Symbol.asyncDispose]: () => kill(child),
  };
}

/** Starts the program and resolves when it listens. */
async function run(args: string[], submitted: string[]): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'perl-smsc.pl');
  const child = spawn('perl', [script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (line.startsWith('submit ')) submitted.push(line.slice('submit '.length));
  });
  await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the SMSC did not start'))),
  ]);
  return child;
}

/** Resolves when the process has ended and its output is read. A link that is cut may have ended it before. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
