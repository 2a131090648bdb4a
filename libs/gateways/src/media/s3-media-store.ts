import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { CallSlots } from '../http/call-slots.ts';
import { MediaStore } from './media-store.ts';

/** Smallest part that S3 accepts. An upload holds two in memory: one is sent while the next is filled. */
const PART_BYTES = 5 * 1024 * 1024;

/** Maximum number of files on the disk at the same time, arriving or arrived, and of those that are sent to the bucket. */
const MAX_FILES = 16;
const MAX_UPLOADS = 4;

/** Milliseconds that a further one waits for one of them to end. */
const WAIT_MS = 60_000;

/** Timeouts, so that an unresponsive server does not block an upload and its caller. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * A download has a socket for as long as its reader takes: with the 50 of the client, as many slow ones would keep all
 * others waiting. Each has a connection of its reader too, and MAX_UPLOADS bounds the other calls.
 */
const AGENT = { maxSockets: Number.POSITIVE_INFINITY };

/**
 * Stores files in an S3-compatible bucket. A file arrives in the temporary folder first: however slowly clients send, no
 * more than MAX_UPLOADS hold parts in memory, and a file that breaks off never reaches the bucket. At most MAX_FILES are
 * in that folder.
 */
export class S3MediaStore extends MediaStore {
  private readonly files = new CallSlots(MAX_FILES);
  private readonly uploads = new CallSlots(MAX_UPLOADS);
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  /** @param url `https://KEY:SECRET@host/bucket/prefix?region=…`; prefix and region are optional */
  constructor(url: string) {
    super();
    const { protocol, host, username, password, pathname, searchParams } = new URL(url);
    const [bucket = '', ...prefix] = decodeURIComponent(pathname)
      .split('/')
      .filter((part) => part !== '');
    this.bucket = bucket;
    this.prefix = prefix.map((part) => `${part}/`).join('');
    this.client = new S3Client({
      endpoint: `${protocol}//${host}`,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED', // other servers than Amazon's do not support the newer checksums
      responseChecksumValidation: 'WHEN_REQUIRED',
      region: searchParams.get('region') ?? 'us-east-1',
      credentials: {
        accessKeyId: decodeURIComponent(username),
        secretAccessKey: decodeURIComponent(password),
      },
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        throwOnRequestTimeout: true,
        httpAgent: AGENT,
        httpsAgent: AGENT,
      },
    });
  }

  async write(id: string, content: AsyncIterable<Buffer>): Promise<void> {
    await withSlot(this.files, async () => {
      await using file = await spool(content);
      await withSlot(this.uploads, () => this.send(id, file));
    });
  }

  async read(id: string, offset = 0): Promise<Readable> {
    const { Body } = await this.client.send(
      new GetObjectCommand({
        Bucket: this.bucket,
        Key: this.prefix + id,
        ...(offset > 0 && { Range: `bytes=${offset}-` }),
      }),
    );
    if (!(Body instanceof Readable)) throw new Error('the store answered without a body');
    return Body;
  }

  async remove(id: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: this.prefix + id }));
  }

  private async send(id: string, file: FileHandle): Promise<void> {
    const Body = Readable.from(file.createReadStream({ start: 0, autoClose: false }));
    const params = { Bucket: this.bucket, Key: this.prefix + id, Body };
    await new Upload({ client: this.client, params, partSize: PART_BYTES, queueSize: 1 }).done();
  }
}

/** Runs work once a slot is free. @throws when none was for WAIT_MS */
async function withSlot(slots: CallSlots, work: () => Promise<void>): Promise<void> {
  if (!(await slots.acquire(WAIT_MS, new AbortController().signal)))
    throw new Error('the uploads in progress are too many or too slow');
  try {
    await work();
  } finally {
    slots.release();
  }
}

/** Keeps content in a file without a name, of which nothing is left when the process dies. */
async function spool(content: AsyncIterable<Buffer>): Promise<FileHandle> {
  const path = join(tmpdir(), randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    for await (const chunk of content) await file.writeFile(chunk);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
