import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A self-signed certificate for `localhost`. Processes whose `NODE_EXTRA_CA_CERTS` names the file of `trusted` trust
 * it.
 */
export type CertificateName = 'trusted' | 'untrusted';

/** Returns the path of a certificate with its key. */
export function certificateFile(name: CertificateName): string {
  return join(import.meta.dirname, 'certificates', `${name}.pem`);
}

/** Reads the key and certificate of a TLS server. */
export function readCredentials(name: CertificateName): { key: string; cert: string } {
  const pem = readFileSync(certificateFile(name), 'utf8');
  return { key: pem, cert: pem };
}
