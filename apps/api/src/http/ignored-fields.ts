import type { FastifyRequest } from 'fastify';

/** Maximum number of paths the header names. */
export const MAX_IGNORED_FIELDS = 10;

const MAX_PATH_LENGTH = 100;

/** Paths by the body or query object that held them; collected with the request. */
const ignoredBySource = new WeakMap<object, string[]>();

/** Remembers which fields of a body or a query are of no use: no rule of the interface knows them, or not there. */
export function rememberIgnored(source: object, paths: string[]): void {
  ignoredBySource.set(
    source,
    [...(ignoredBySource.get(source) ?? []), ...paths].slice(0, MAX_IGNORED_FIELDS),
  );
}

/** The value of the Ignored-Fields header: `foo, text.bar`; undefined when nothing was ignored. */
export function ignoredFieldsHeader(request: FastifyRequest): string | undefined {
  const { body } = request;
  const paths = typeof body === 'object' && body !== null ? ignoredBySource.get(body) : undefined;
  return (paths ?? ignoredInQuery(request.query))?.map(headerSafe).join(', ');
}

function ignoredInQuery(query: unknown): string[] | undefined {
  return typeof query === 'object' && query !== null ? ignoredBySource.get(query) : undefined;
}

/** Encodes a path as short printable ASCII without commas and bare `%`, so that every proxy passes the header on. */
function headerSafe(path: string): string {
  const start = path.slice(0, MAX_PATH_LENGTH).toWellFormed();
  return start.replace(/[^!-~]|[%,]/gu, encodeURIComponent).slice(0, MAX_PATH_LENGTH);
}
