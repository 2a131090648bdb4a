import { afterAll } from '@jest/globals';
import { type TestRows, openRows } from './rows.ts';

/** Opens a database for all tests of a file: `const rows = await openSharedRows()`. It is dropped after the last one. */
export async function openSharedRows(): Promise<TestRows> {
  const rows = await openRows();
  afterAll(async () => rows[Symbol.asyncDispose]());
  return rows;
}
