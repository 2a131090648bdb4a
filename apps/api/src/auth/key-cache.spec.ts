import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { newApiKey } from '@signalbox/domain/api-key';
import type { EntityManager } from 'typeorm';
import { KeyCache } from './key-cache.ts';
import type { KeyUses } from './key-uses.ts';

test('unknown keys that were cut out of long headers leave the headers collectable', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const db = { query: () => Promise.resolve([]) } as unknown as EntityManager;
  const keys = new KeyCache(db, {} as KeyUses);
  const cutOut = (): string => /Bearer +(\S+)/.exec(`Bearer${' '.repeat(15_000)}${newApiKey('live')}`)![1]!;
  collect();
  const before = process.memoryUsage().heapUsed;

  for (let i = 0; i < 1_000; i += 1) expect(await keys.find(cutOut())).toBeUndefined();
  collect();

  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
});
