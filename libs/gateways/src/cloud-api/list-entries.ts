import type { GraphAnswer, GraphClient } from './graph-client.ts';
import { asObject, listOf, textOf } from './json.ts';

/** An answer of the Graph API other than a success. */
export type GraphFailure = Exclude<GraphAnswer, { result: 'ok' }>;

/** Reads a list of the Graph API page by page, up to `maxPages`; `failed` is the answer that ended it. */
export async function listEntries(
  client: GraphClient,
  path: string,
  query: Record<string, string>,
  maxPages: number,
): Promise<{ entries: unknown[] } | { failed: GraphFailure }> {
  const entries: unknown[] = [];
  let cursor = {};
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await client.call({ method: 'GET', path, query: { ...query, limit: '100', ...cursor } });
    if (answer.result !== 'ok') return { failed: answer };
    entries.push(...listOf(answer.body['data']));
    const after = nextPage(answer.body['paging']);
    if (after === undefined) break;
    cursor = { after };
  }
  return { entries };
}

/** Returns the cursor of the next page; undefined on the last. */
function nextPage(paging: unknown): string | undefined {
  const { cursors, next } = asObject(paging) ?? {};
  return next === undefined ? undefined : textOf(asObject(cursors)?.['after']);
}
