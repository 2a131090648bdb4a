import { createHash } from 'node:crypto';
import { ERRORS } from '../errors/error-codes.ts';
import type { ErrorKind } from '../errors/error-kind.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; font-size: 0.95em; }
pre { white-space: pre-wrap; padding: 0.75rem 1rem; border: 1px solid #8886; border-radius: 6px; }
section { padding: 0.25rem 1rem; border-left: 3px solid transparent; }
section:target { border-color: #c60; background: #c601; }
h3 a { color: inherit; text-decoration: none; }
.status { opacity: 0.7; font-weight: normal; font-size: 0.85em; }
`;

/** Content security policy of the page: it loads and runs nothing; its style sheet is allowed by hash. */
export const ERROR_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const EXAMPLE = {
  id: null,
  data: null,
  message: 'to[3] must be a phone number of 7 to 15 digits with its country code',
  error: {
    code: 'invalid_request',
    message: 'to[3] must be a phone number of 7 to 15 digits with its country code',
    retryable: false,
    docs: '/docs/errors#invalid_request',
    requestId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90',
    details: [
      {
        field: 'to[3]',
        rule: 'invalid_format',
        message: 'must be a phone number of 7 to 15 digits with its country code',
      },
    ],
  },
};

/** Renders the HTML page of all error codes; the anchor of each is its code. */
export function errorPage(): string {
  const sections = errorsByStatus().map(([code, kind]) => section(code, kind));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox: errors</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Errors</h1>
<p>A failed request returns the matching HTTP status and this body. <code>details</code> lists every broken rule;
<code>retryable</code> is true when the same request may succeed later. Quote the <code>requestId</code> when you ask for help;
every response also has it in the header <code>x-request-id</code>. <a href="/docs">All operations</a></p>
<pre>${escapeHtml(JSON.stringify(EXAMPLE, null, 2))}</pre>
${sections.join('\n')}
</body>
</html>
`;
}

/** Lists the codes of errors with their kinds, the lowest status first. */
export function errorsByStatus(): [code: string, kind: ErrorKind][] {
  return Object.entries<ErrorKind>(ERRORS).toSorted(([, { status: a }], [, { status: b }]) => a - b);
}

function section(code: string, { status, retryable, title, action }: ErrorKind): string {
  const repeat = retryable ? 'retryable' : 'not retryable';
  return `<section id="${code}">
<h3><a href="#${code}"><code>${code}</code></a> <span class="status">${status}, ${repeat}</span></h3>
<p>${richText(title)} ${richText(action)}</p>
</section>`;
}

/** Renders text with `code` in it. */
function richText(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
