import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Returns the secret of a webhook that an earlier run has kept; undefined without one. */
export function findSecret(webhookId: string): string | undefined {
  return readAll()[webhookId];
}

/**
 * Keeps the secret of a webhook for the next run, readable by this user only. Without a folder to write to, the next
 * run makes a new secret.
 */
export function keepSecret(webhookId: string, secret: string): void {
  write({ ...readAll(), [webhookId]: secret });
}

/** Removes a secret, unless another run has kept a newer one. */
export function dropSecret(webhookId: string, secret: string): void {
  const { [webhookId]: kept, ...others } = readAll();
  if (kept === secret) write(others);
}

function write(secrets: Record<string, string>): void {
  try {
    mkdirSync(dirname(path()), { recursive: true, mode: 0o700 });
    writeFileSync(path(), `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  } catch {
    // a read-only file system
  }
}

function readAll(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(path(), 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}

function path(): string {
  const config = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return join(config, 'signalbox/listen.json');
}
