import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { readFormFile } from './multipart-body.ts';

const KB = 1024;
const PIECE = Buffer.alloc(64 * KB, 'p');
const PIECES = 320;

/** Turns of the event loop after which a stream that may flow has flowed. */
const TURNS = 200;

/** A request with a form of 20 MB, which counts the bytes that are read of it. */
class CountedRequest extends Readable {
  readonly headers = { 'content-type': 'multipart/form-data; boundary=b' };
  complete = false;
  bytesRead = 0;
  private readonly pieces = form();

  override _read(): void {
    const { value } = this.pieces.next();
    this.bytesRead += value?.length ?? 0;
    this.complete = value === undefined;
    this.push(value ?? null);
  }
}

function* form(): Generator<Buffer, undefined> {
  yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n');
  for (let i = 0; i < PIECES; i++) yield PIECE;
  yield Buffer.from('\r\n--b--\r\n');
}

test('a file is read no faster than it is stored', async () => {
  const request = new CountedRequest();
  let readAhead = 0;

  const stored = await readFormFile(request as unknown as IncomingMessage, async (content) => {
    let bytes = 0;
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > chunk.length) continue;
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      readAhead = request.bytesRead;
    }
    return bytes;
  });

  expect(stored).toBe(PIECES * PIECE.length);
  expect(readAhead).toBeLessThan(512 * KB);
});

test('a form is parsed in small pieces', async () => {
  const sizes: number[] = [];

  await readFormFile(new CountedRequest() as unknown as IncomingMessage, async (content) => {
    content.on('data', (chunk: Buffer) => sizes.push(chunk.length));
    await once(content, 'end');
  });

  expect(Math.max(...sizes)).toBe(8 * KB);
});
