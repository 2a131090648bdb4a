import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';

/** `test`, or `test.skip` on a machine without openssl or redis-server. */
export const testWithTls = process.env['TEST_REDIS_URL'] && hasOpenssl() ? test : test.skip;

/**
 * Makes certificates for `localhost` in a folder, by openssl: `server.pem` and `expired.pem` with the key `server.key`,
 * signed by `authority.pem`. `other.pem` is an authority that signed none.
 */
export function makeCertificates(dir: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['authority', 'other'])
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
    );
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(dir, 'names'), 'subjectAltName=DNS:localhost\n');
  const sign = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-extfile', 'names'];
  for (const [name, days] of [
    ['server', '2'],
    ['expired', '-1'],
  ] as const)
    openssl('x509', '-req', '-in', 'server.csr', ...sign, '-days', days, '-out', `${name}.pem`);
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
