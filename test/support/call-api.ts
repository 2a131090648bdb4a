/** The API of a running service, and a key for it. */
interface Api {
  apiUrl: string;
  apiKey: string;
}

/** Calls the API, and returns the `data` of its answer. @throws Error without a 2xx */
export async function callApi<Data = unknown>(
  { apiUrl, apiKey }: Api,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Data> {
  const answer = await fetch(apiUrl + path, {
    method,
    headers: { apikey: apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (text === '' ? undefined : (JSON.parse(text) as { data: Data }).data) as Data;
}
