import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate for `localhost`, signed by itself; `trusted` by the processes whose `NODE_EXTRA_CA_CERTS` names its file. */
export type CertificateName = 'trusted' | 'untrusted';

/** The file that holds a certificate and its key, made for tests. */
export function certificateFile(name: CertificateName): string {
  return join(import.meta.dirname, 'certificates', `${name}.pem`);
}

/** What a TLS server needs to present a certificate. */
export function readCredentials(name: CertificateName): { key: string; cert: string } {
  const pem = readFileSync(certificateFile(name), 'utf8');
  return { key: pem, cert: pem };
}
