import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type KeyHolder, listKeyHolders } from '@signalbox/database/accounts/api-keys';
import { hashApiKey, isApiKey } from '@signalbox/domain/api-key';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import { EntityManager } from 'typeorm';
import { ACCEPTS } from '../core.module.ts';
import { KeyUses } from './key-uses.ts';

/** Maximum age of a cached key, so that a revocation applies everywhere within a second. */
const FRESH_MS = 900;

const MAX_CACHED = 50_000;

/**
 * Finds the holders of API keys, cached for less than a second. The cache holds the keys themselves until others displace
 * them, so that a request with a cached key needs no hash.
 */
@Injectable()
export class KeyCache {
  private readonly holders: CachedLookup<string, KeyHolder>;

  constructor(@InjectEntityManager(ACCEPTS) db: EntityManager, uses: KeyUses) {
    this.holders = new CachedLookup((keys) => findHolders(db, keys, uses), {
      freshMs: FRESH_MS,
      maxCached: MAX_CACHED,
    });
  }

  /** The holder of a key; undefined when the key is unknown, revoked or expired. */
  async find(key: string): Promise<KeyHolder | undefined> {
    return isApiKey(key) ? this.holders.find(copyOf(key)) : undefined;
  }

  /** The cached answer of `find`; undefined when there is none. */
  peek(key: string): { value: KeyHolder | undefined } | undefined {
    return this.holders.peek(key);
  }
}

/** Copies a key, which may be a slice of a header: V8 would keep the whole header in memory with it. */
const copyOf = (key: string): string => Buffer.from(key, 'latin1').toString('latin1');

async function findHolders(
  db: EntityManager,
  keys: string[],
  uses: KeyUses,
): Promise<(KeyHolder | undefined)[]> {
  const hashes = keys.map(hashApiKey);
  const found = await listKeyHolders(db, hashes);
  for (const { keyId } of found) uses.mark(keyId);
  const holders = new Map(found.map((holder) => [holder.hash.toString('latin1'), holder]));
  return hashes.map((hash) => holders.get(hash.toString('latin1')));
}
