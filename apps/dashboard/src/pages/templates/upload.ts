import { client } from '@signalbox/client/dashboard-client';
import { ACCOUNT_HEADER, accountOfPage } from '../../api/account-of-page.ts';
import { ApiFailure, toFailure } from '../../api/failure.ts';
import { WORDS } from './words.ts';

/** Limits of uploads in megabytes, and the types that a chooser of files offers. */
export const UPLOADS = {
  IMAGE: { megabytes: 5, accept: 'image/jpeg,image/png' },
  VIDEO: { megabytes: 16, accept: 'video/mp4' },
  DOCUMENT: { megabytes: 100, accept: 'application/pdf' },
} as const;

/** An upload that is under way. */
export interface Upload {
  /** Resolves to the handle. @throws ApiFailure */
  handle: Promise<string>;
  stop: () => void;
}

/** Uploads a file. `onProgress` gets the share that is sent, from 0 to 1: fetch does not report it. */
export function upload(file: File, onProgress: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request.responseType = 'json';
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(total === 0 ? 0 : loaded / total),
  );
  request.addEventListener('load', () => {
    const body: unknown = request.response;
    if (request.status === 200) resolve((body as { data: string }).data);
    else reject(toFailure(body, answerOf(request)));
  });
  request.addEventListener('error', () =>
    reject(new ApiFailure(WORDS.upload.stopped, 'offline', 0, undefined, [])),
  );
  request.addEventListener('abort', () => reject(new ApiFailure('', 'aborted', 0, undefined, [])));
  request.open('POST', '/v1/chatapp/generateHeaderHandle');
  const { auth } = client.getConfig();
  if (typeof auth === 'string') request.setRequestHeader('apikey', auth);
  const account = accountOfPage();
  if (account !== undefined) request.setRequestHeader(ACCOUNT_HEADER, account);
  const form = new FormData();
  form.append('file', file);
  request.send(form);
  return { handle: promise, stop: () => request.abort() };
}

/** The status and request id of an answer, as failures read them. */
function answerOf(request: XMLHttpRequest): Response {
  const id = request.getResponseHeader('x-request-id');
  return new Response(null, { status: request.status, headers: id === null ? {} : { 'x-request-id': id } });
}
