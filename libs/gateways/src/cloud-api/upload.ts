import type { Readable } from 'node:stream';
import type { GraphAnswer, GraphClient } from './graph-client.ts';
import { idOf, textOf, wholeOf } from './json.ts';

/** A file to upload. */
export interface SampleFile {
  name: string;
  mimeType: string;
  sizeBytes: number;
  /** Opens the file at a position. */
  open: (offset: number) => Promise<Readable>;
}

type Failure = Exclude<GraphAnswer, { result: 'ok' }>;

const TRIES = 4;
/** Time for all tries of a transfer: 100 MB at 3 Mbit/s. */
const TRANSFER_MS = 300_000;

/**
 * Uploads a file by Meta's resumable upload: a session, then the bytes. An interrupted transfer continues at the offset
 * that Meta reports. It ends within seven minutes.
 */
export async function uploadSample(
  client: GraphClient,
  appId: string,
  file: SampleFile,
): Promise<{ handle: string } | Failure> {
  const { name, mimeType, sizeBytes } = file;
  const session = await client.call({
    method: 'POST',
    path: `/${appId}/uploads`,
    query: { file_name: name, file_length: String(sizeBytes), file_type: mimeType },
  });
  if (session.result !== 'ok') return session;
  const id = idOf(session.body['id']);
  if (id === undefined) return { result: 'unanswered', reason: 'the upload session has no id' };
  return transfer(client, `/${id}`, file);
}

async function transfer(
  client: GraphClient,
  path: string,
  file: SampleFile,
): Promise<{ handle: string } | Failure> {
  let offset = 0;
  let failure: Failure = { result: 'unanswered', reason: 'nothing was transferred' };
  const endsAt = performance.now() + TRANSFER_MS;
  for (let tries = 0; tries < TRIES && performance.now() < endsAt; tries += 1) {
    const answer = await send(client, path, file, { offset, timeoutMs: endsAt - performance.now() });
    const handle = answer.result === 'ok' ? textOf(answer.body['h']) : undefined;
    if (handle !== undefined) return { handle };
    if (answer.result === 'refused') return answer;
    failure = answer.result === 'ok' ? { result: 'unanswered', reason: 'the upload has no handle' } : answer;
    offset = await stoppedAt(client, path, file.sizeBytes);
  }
  return failure;
}

async function send(
  client: GraphClient,
  path: string,
  { sizeBytes, open }: SampleFile,
  { offset, timeoutMs }: { offset: number; timeoutMs: number },
): Promise<GraphAnswer> {
  const content = await open(offset);
  const answer = await client.call({
    method: 'POST',
    path,
    headers: {
      authorization: client.uploadAuthorization,
      file_offset: String(offset),
      'content-length': String(sizeBytes - offset),
      'content-type': 'application/octet-stream',
    },
    body: content,
    timeoutMs,
  });
  content.destroy();
  return answer;
}

async function stoppedAt(client: GraphClient, path: string, sizeBytes: number): Promise<number> {
  const answer = await client.call({
    method: 'GET',
    path,
    headers: { authorization: client.uploadAuthorization },
  });
  const offset = answer.result === 'ok' ? (wholeOf(answer.body['file_offset']) ?? 0) : 0;
  return offset >= 0 && offset < sizeBytes ? offset : 0;
}
