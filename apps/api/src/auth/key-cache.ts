import { type KeyHolder, listKeyHolders } from '@signalbox/database/api-keys';
import { hashApiKey, isApiKey } from '@signalbox/domain/api-key';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';

/** A revocation counts everywhere within a second: no pod believes a key for longer without asking again. */
const FRESH_MS = 900;

/** Enough for every key in use; when it is full it starts over. */
const MAX_CACHED = 50_000;

interface Cached {
  holder: KeyHolder | undefined;
  freshUntil: number;
}

/** Tells whose key a request carries. Keys asked for at the same time share one statement. */
export class KeyCache {
  private readonly cached = new Map<string, Cached>();
  private readonly lookups: GroupCommit<Buffer, KeyHolder | undefined>;

  constructor(db: EntityManager) {
    this.lookups = new GroupCommit((hashes) => findHolders(db, hashes), { maxBatch: 500, maxWaiting: 10_000 });
  }

  /** The holder of a key; undefined when the key is unknown, revoked or expired. */
  async find(key: string): Promise<KeyHolder | undefined> {
    const hash = hashApiKey(key);
    const id = hash.toString('latin1');
    const known = this.cached.get(id);
    if (known && known.freshUntil > Date.now()) return known.holder;
    if (!isApiKey(key)) return undefined;
    const freshUntil = Date.now() + FRESH_MS;
    const holder = await this.lookups.add(hash);
    if (this.cached.size >= MAX_CACHED) this.cached.clear();
    this.cached.set(id, { holder, freshUntil });
    return holder;
  }
}

async function findHolders(db: EntityManager, hashes: Buffer[]): Promise<(KeyHolder | undefined)[]> {
  const holders = new Map((await listKeyHolders(db, hashes)).map((holder) => [holder.hash.toString('latin1'), holder]));
  return hashes.map((hash) => holders.get(hash.toString('latin1')));
}
