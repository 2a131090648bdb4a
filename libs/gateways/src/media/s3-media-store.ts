import { Readable } from 'node:stream';
import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { MediaStore } from './media-store.ts';

/** The smallest part that S3 takes; two of them, one on its way and one being filled, are all that an upload holds in memory. */
const PART_BYTES = 5 * 1024 * 1024;

/** A silent server must not hold up an upload, and with it its caller, for ever. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Keeps files in a bucket of Amazon S3 or of what speaks its language. */
export class S3MediaStore extends MediaStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  /** @param url `https://KEY:SECRET@host/bucket/prefix?region=…`; the prefix and the region may be left out */
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
      requestChecksumCalculation: 'WHEN_REQUIRED', // others than Amazon do not know the newer ones
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
    const noting = (cause: unknown): void => void (fault = cause);
    const params = {
      Bucket: this.bucket,
      Key: this.prefix + id,
      Body: Readable.from(watched(content, noting)),
    };
    try {
      await new Upload({ client: this.client, params, partSize: PART_BYTES, queueSize: 1 }).done();
    } catch (error) {
      throw fault ?? error; // not that the upload could not even be aborted
    }
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
