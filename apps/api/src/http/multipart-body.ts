import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/** Form field of the file. */
const FIELD = 'file';
const LIMITS = { files: 1, fields: 1, parts: 2, fieldSize: 1024, headerPairs: 20, headerSize: 16 * 1024 };

/** Size of the pieces that are parsed. The parser reads a piece to its end even after it has refused the form. */
const PIECE_BYTES = 8 * 1024;

interface MultipartRoute {
  multipart?: boolean;
}

/** Marks the route of an upload, whose handler reads the body itself. */
export const ReadsMultipart = (): MethodDecorator =>
  RouteConfig({ multipart: true } satisfies MultipartRoute);

/** Passes multipart bodies to the routes that read them; on other routes they are refused with 415. */
export function passMultipartBodies(instance: FastifyInstance): void {
  instance.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    done(readsMultipart(request) ? null : new ApiError('unsupported_media_type'));
  });
}

/** Is true for a request whose handler reads a form. */
export function readsMultipart({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as MultipartRoute).multipart === true;
}

/**
 * Reads a form as a stream, and passes its one file on. When this settles, `take` has ended, also when the form turns
 * out to be broken behind the file.
 *
 * @param take reads the file; its errors are thrown here
 * @throws ApiError unsupported_media_type, malformed_multipart, file_required
 */
export async function readFormFile<R>(
  request: IncomingMessage,
  take: (content: Readable, declaredType: string) => Promise<R>,
): Promise<R> {
  const form = openForm(request.headers);
  const pieces = cutIntoPieces();
  const refused = Promise.withResolvers<never>();
  let content: BusboyFileStream | undefined;
  let taken: Promise<R> | undefined;
  let broken: ApiError | undefined;
  form.on('file', (name, stream, _fileName, _encoding, declaredType) => {
    // Without a listener, an aborted form would end the process; without destroy, its reader would wait forever.
    stream.on('error', (cause) => {
      if (stream.destroyed) return; // by its reader
      broken = malformed(cause);
      stream.destroy(cause);
    });
    if (name !== FIELD) {
      stream.resume();
      return;
    }
    content = stream;
    taken = take(stream, declaredType);
    taken.catch(refused.reject);
  });
  try {
    await Promise.race([readToEnd(request, pieces, form), refused.promise]);
    if (taken === undefined) throw new ApiError('file_required');
    return await taken;
  } catch (error) {
    const reason = broken ?? (error as Error);
    request.unpipe(pieces);
    pieces.unpipe(form);
    request.resume();
    content?.destroy(reason);
    await Promise.allSettled([taken]);
    throw reason;
  }
}

function openForm(headers: IncomingHttpHeaders): BusboyInstance {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new ApiError(
      'unsupported_media_type',
      'Send the file as multipart/form-data, in the form field `file`.',
    );
  }
  try {
    return new Busboy({ headers: { ...headers, 'content-type': type }, limits: LIMITS });
  } catch (cause) {
    throw malformed(cause);
  }
}

/** Resolves when the form has ended and its file was read. @throws ApiError malformed_multipart */
function readToEnd(request: IncomingMessage, pieces: Transform, form: BusboyInstance): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      pieces.unpipe(form);
      reject(malformed(cause));
    };
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      form.on(event, () => fail(new Error(event)));
    form.on('error', fail);
    form.on('finish', resolve);
    request.on('error', fail);
    request.on('close', () => {
      if (!request.complete) fail(new Error('the connection broke off'));
    });
    request.pipe(pieces).pipe(form);
  });
}

/** Makes a stream that passes a form on in pieces of PIECE_BYTES. */
function cutIntoPieces(): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) this.push(chunk.subarray(at, at + PIECE_BYTES));
      done();
    },
  });
}

function malformed(cause: unknown): ApiError {
  return new ApiError('malformed_multipart', undefined, { cause });
}
