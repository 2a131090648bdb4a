import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';

/** Kannel's bearerbox and smsbox, connected to an SMSC. */
export interface Kannel extends AsyncDisposable {
  /** Address of the smsbox. */
  url: string;
  username: string;
  password: string;
  /** Segments that the SMSC was sent, as `recipient text`. */
  submitted: string[];
}

const TIMEOUT_MS = 60_000;
const DOCS = join(import.meta.dirname, '../../docs/gateways/http.md');

/** Finds the programs of Debian's packages kannel and libnet-smpp-perl; undefined without one of them. */
export function findKannel(): { bearerbox: string; smsbox: string } | undefined {
  const find = (name: string) =>
    ['/usr/sbin', '/usr/bin'].map((dir) => join(dir, name)).find((path) => existsSync(path));
  const [bearerbox, smsbox] = [find('bearerbox'), find('smsbox')];
  if (!bearerbox || !smsbox) return undefined;
  try {
    execFileSync('perl', ['-MNet::SMPP', '-e', '1'], { stdio: 'ignore' });
    return { bearerbox, smsbox };
  } catch {
    return undefined;
  }
}

/**
 * Starts Kannel.
 *
 * @param inboundUrl called by GET for each inbound message; Kannel's escapes such as `%p` are filled in
 */
export async function startKannel(inboundUrl: string): Promise<Kannel> {
  const programs = findKannel();
  if (!programs) throw new Error('kannel is not installed');
  await using started = new AsyncDisposableStack();
  const dir = started.adopt(mkdtempSync(join(tmpdir(), 'signalbox-test-kannel-')), (path) => {
    rmSync(path, { recursive: true, force: true });
  });
  const taken = new Set<number>();
  const port = () => freePort(0, taken);
  const ports = { smsc: await port(), admin: await port(), box: await port(), send: await port() };
  const config = join(dir, 'kannel.conf');
  writeFileSync(config, configuration(ports, inboundUrl));

  const submitted: string[] = [];
  const smsc = run(started, 'perl', [join(import.meta.dirname, 'kannel-smsc.pl'), String(ports.smsc)]);
  createInterface({ input: smsc.stdout! }).on('line', (line) => {
    if (line.startsWith('submit ')) submitted.push(line.slice('submit '.length));
  });
  await accepts(ports.smsc, 'tcp');
  run(started, programs.bearerbox, [config]);
  await untilOnline(ports.admin);
  run(started, programs.smsbox, [config]);
  await accepts(ports.send, 'http');

  const all = started.move();
  return {
    url: `http://127.0.0.1:${ports.send}`,
    username: 'tester',
    password: 'foobar',
    submitted,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Returns the configuration of the documentation, with other ports and another address for inbound messages. */
function configuration(
  ports: { smsc: number; admin: number; box: number; send: number },
  inboundUrl: string,
): string {
  const [, documented] = /^```\n(group = core\n.*?)^```$/ms.exec(readFileSync(DOCS, 'utf8')) ?? [];
  if (documented === undefined) throw new Error('docs/gateways/http.md has no kannel.conf');
  return documented
    .replace('= 13000', `= ${ports.admin}`)
    .replace('= 13001', `= ${ports.box}`)
    .replace('= 13013', `= ${ports.send}`)
    .replace('= 2775', `= ${ports.smsc}`)
    .replace(/^get-url = .*$/m, () => `get-url = "${inboundUrl}"`);
}

/** Starts a process that ends with the stack. */
function run(started: AsyncDisposableStack, command: string, args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout?.resume();
  started.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

async function untilOnline(adminPort: number): Promise<void> {
  const isOnline = async () => {
    const status = await fetch(`http://127.0.0.1:${adminPort}/status.txt?password=change-me`).then(
      (answer) => answer.text(),
      () => '',
    );
    return /carrier.*\(online/i.test(status);
  };
  await waitFor(isOnline, { timeoutMs: TIMEOUT_MS, otherwise: 'bearerbox did not connect to the SMSC' });
}

/** Waits until something listens on a port. An SMSC is not connected to: it serves one link. */
async function accepts(port: number, kind: 'tcp' | 'http'): Promise<void> {
  const isUp = async () =>
    kind === 'tcp'
      ? isListening(port)
      : fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        );
  await waitFor(isUp, { timeoutMs: TIMEOUT_MS, otherwise: `nothing listens on port ${port}` });
}

/** Reads the table of sockets, so that nothing is connected to. */
function isListening(port: number): boolean {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .some((line) => line.includes(wanted) && line.includes(' 0A '));
}
