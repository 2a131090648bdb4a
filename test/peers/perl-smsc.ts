import { execFileSync, spawn } from 'node:child_process';
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
}

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
  const script = join(import.meta.dirname, 'perl-smsc.pl');
  const child = spawn('perl', [script, String(port), form, isEarly ? '1' : '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const submitted: string[] = [];
  const lines = createInterface({ input: child.stdout });
  await Promise.race([
    once(lines, 'line'),
    exited.then(() => Promise.reject(new Error('the SMSC did not start'))),
  ]);
  lines.on('line', (line) => {
    if (line.startsWith('submit ')) submitted.push(line.slice('submit '.length));
  });
  return {
    port,
    submitted,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
