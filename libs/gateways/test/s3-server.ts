import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An S3 server with one bucket. */
export interface S3Server extends AsyncDisposable {
  /** URL for the settings of a store, with the bucket `files` and the prefix `media`. */
  url: string;
  objects: Map<string, Buffer>;
  /** Parts of the uploads that are neither completed nor aborted. */
  openUploads: Map<string, Buffer[]>;
  /** The most uploads that were open at the same time. */
  mostOpenUploads: number;
  /** Number of objects that are being read. */
  reads: number;
  /** Set to refuse every call. */
  isBroken: boolean;
}

/** Starts an in-memory S3 with the calls of uploads, reads and removals. Signatures are not checked. */
export async function startS3(): Promise<S3Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const s3: S3Server = {
    url: `http://key:se%2Fcret@127.0.0.1:${port}/files/media?region=eu-central-1`,
    objects: new Map(),
    openUploads: new Map(),
    mostOpenUploads: 0,
    reads: 0,
    isBroken: false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', (request, response) => {
    void readAll(request).then((body) => {
      const { status, xml, file } =
        s3.isBroken || !/Credential=key\//.test(request.headers.authorization ?? '')
          ? REFUSED
          : act(s3, request, body);
      if (file) {
        s3.reads += 1;
        response.once('close', () => (s3.reads -= 1));
      }
      response.writeHead(status, { 'content-type': 'application/xml', etag: '"tag"' }).end(file ?? xml);
    });
  });
  return s3;
}

interface S3Answer {
  status: number;
  xml?: string;
  file?: Buffer;
}

const REFUSED: S3Answer = {
  status: 403,
  xml: '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

function act(s3: S3Server, { method, url = '' }: IncomingMessage, body: Buffer): S3Answer {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const uploadId = searchParams.get('uploadId');
  if (method === 'DELETE') {
    if (uploadId === null) s3.objects.delete(pathname);
    else s3.openUploads.delete(uploadId);
    return { status: 204 };
  }
  if (method === 'GET') return { status: 200, file: s3.objects.get(pathname)! };
  if (searchParams.has('uploads')) {
    s3.openUploads.set(pathname, []);
    s3.mostOpenUploads = Math.max(s3.mostOpenUploads, s3.openUploads.size);
    return {
      status: 200,
      xml: `<InitiateMultipartUploadResult><UploadId>${pathname}</UploadId></InitiateMultipartUploadResult>`,
    };
  }
  if (uploadId === null) s3.objects.set(pathname, body);
  else if (method === 'PUT') s3.openUploads.get(uploadId)![Number(searchParams.get('partNumber')) - 1] = body;
  else {
    s3.objects.set(pathname, Buffer.concat(s3.openUploads.get(uploadId)!));
    s3.openUploads.delete(uploadId);
  }
  return {
    status: 200,
    xml: '<CompleteMultipartUploadResult><ETag>"tag"</ETag></CompleteMultipartUploadResult>',
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
