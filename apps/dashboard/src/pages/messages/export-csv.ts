import type { ListMessagesData } from '@signalbox/client';
import { client } from '@signalbox/client/dashboard-client';
import { answerOf } from '../../api/answer.ts';

const LINE_FEED = 10;

/** Progress of an export. */
export interface ExportProgress {
  messages: number;
  bytes: number;
}

/**
 * Reads all messages of a filter as CSV, as the api streams them.
 *
 * @throws ApiFailure when it is refused; the error of the connection when it breaks off, since half a file is of no use
 */
export async function readCsv(
  query: ListMessagesData['query'],
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  const stream = await answerOf<ReadableStream<Uint8Array<ArrayBuffer>>>(
    client.get({
      url: '/v1/messages',
      query: query as Record<string, unknown>,
      headers: { accept: 'text/csv' },
      parseAs: 'stream',
      security: [{ name: 'apikey', type: 'apiKey' }],
      signal,
    }) as never,
  );
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const progress = { messages: -1, bytes: 0 };
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    progress.bytes += next.value.length;
    progress.messages += countLines(next.value);
    onProgress({ ...progress, messages: Math.max(0, progress.messages) });
  }
  return new Blob(chunks, { type: 'text/csv' });
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED) lines += 1;
  return lines;
}

/** Hands a file to the browser. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
