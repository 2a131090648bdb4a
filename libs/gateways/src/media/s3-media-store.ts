import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { MediaStore } from './media-store.ts';

/** Smallest part that S3 accepts. An upload holds two in memory: one is sent while the next is filled. */
const PART_BYTES = 5 * 1024 * 1024;

/** Timeouts, so that an unresponsive server does not block an upload and its caller. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Stores files in an S3-compatible bucket. */
export class S3MediaStore extends MediaStore {
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
      },
    });
  }

  async write(id: string, content: AsyncIterable<Buffer>): Promise<void> {
    let fault: unknown;
    const params = {
      Bucket: this.bucket,
      Key: this.prefix + id,
      Body: Readable.from(watched(content, (cause) => (fault = cause))),
    };
    try {
      await new Upload({ client: this.client, params, partSize: PART_BYTES, queueSize: 1 }).done();
    } catch (error) {
      throw fault ?? error; // an error of `content` is the cause of the upload's
    }
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
}

async function* watched(
  content: AsyncIterable<Buffer>,
  onFault: (cause: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    onFault(cause);
    throw cause;
  }
}
