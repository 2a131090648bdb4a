import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';

const PROGRAM = '/usr/bin/osmo-msc';

/** Address of the interfaces that no test uses, so that they meet no other program. */
const ASIDE = '127.86.7.5';

/** The SMPP interface of a mobile switching centre without a radio network: every subscriber is unknown to it. */
export interface OsmoMsc extends AsyncDisposable {
  port: number;
  systemId: string;
  password: string;
}

/** Checks that Debian's package osmo-msc is installed, and what it needs where the kernel has no SCTP: a C compiler. */
export function hasOsmoMsc(): boolean {
  if (!existsSync(PROGRAM)) return false;
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts it with an empty database. */
export async function startOsmoMsc(): Promise<OsmoMsc> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-test-osmo-'));
  const port = await freePort();
  const library = join(dir, 'no-sctp.so');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'no-sctp.c')]);
  writeFileSync(join(dir, 'osmo-msc.cfg'), configuration(port));
  const child = spawn(PROGRAM, ['-c', 'osmo-msc.cfg'], {
    cwd: dir,
    env: { ...process.env, LD_PRELOAD: library },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await waitFor(() => accepts(port), { otherwise: 'osmo-msc did not start' });
  return {
    port,
    systemId: 'foo',
    password: 'bar',
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function configuration(port: number): string {
  return `
line vty
 bind ${ASIDE}
ctrl
 bind ${ASIDE}
cs7 instance 0
 point-code 0.23.1
network
 network country code 1
 mobile network code 1
 encryption a5 0
msc
 mgw remote-ip ${ASIDE}
hlr
 remote-ip ${ASIDE}
sgs
 local-ip ${ASIDE}
smpp
 local-tcp-ip 127.0.0.1 ${port}
 policy closed
 system-id msc
 esme foo
  password bar
  default-route
`;
}

function accepts(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}
