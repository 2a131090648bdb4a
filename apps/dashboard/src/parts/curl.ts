/** A call of the api. */
export interface ApiCall {
  /** By default POST with a body, and GET without one. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query, as `/v1/messages?status=Failed`. */
  path: string;
  body?: unknown;
}

/** Renders a call as a command for a POSIX shell, with the key in `SIGNALBOX_API_KEY`. */
export function curlOf({ method, path, body }: ApiCall, origin: string): string {
  const lines = [`curl -sS ${quote(`${origin}${path}`)}`, '-H "apikey: $SIGNALBOX_API_KEY"'];
  const implied = body === undefined ? 'GET' : 'POST';
  if (method !== undefined && method !== implied) lines.push(`-X ${method}`);
  if (body !== undefined)
    lines.push(`-H 'content-type: application/json'`, `-d ${quote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
