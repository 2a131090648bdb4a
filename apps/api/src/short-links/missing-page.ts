import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors/api-error.ts';
import { ERRORS } from '../errors/error-codes.ts';
import { retryAfterSeconds } from '../errors/error-body.ts';

const STYLE = `
:root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 20vh auto; padding: 0 1.5rem; }
`;

/** The page loads and runs nothing; its style sheet is allowed by hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Answers a person whose link cannot be followed with a page, where a program gets the error body. */
export function answerWithPage(reply: FastifyReply, error: ApiError): void {
  const seconds = retryAfterSeconds(error);
  const [title, text] = error.code === 'route_not_found' ? GONE : waitFor(seconds);
  if (seconds !== undefined) reply.header('retry-after', String(seconds));
  reply
    .code(ERRORS[error.code].status)
    .header('content-security-policy', POLICY)
    .type('text/html; charset=utf-8')
    .send(page(title, text));
}

/** Returns true for a browser that opens an address; programs ask for anything, or for JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}

const GONE = [
  'This link does not work',
  'It has expired, or a part of the address is missing. Ask whoever sent it to you for a new one.',
] as const;

function waitFor(seconds = 1): readonly [title: string, text: string] {
  return ['This link cannot be opened now', `Try again in ${seconds} s.`];
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>
`;
}
