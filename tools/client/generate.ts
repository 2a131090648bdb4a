import { createClient } from '@hey-api/openapi-ts';

/** Writes the TypeScript client of an OpenAPI document to a folder, which it empties first. */
export async function generateClient(documentPath: string, folder: string): Promise<void> {
  await createClient({
    input: documentPath,
    output: { path: folder, clean: true, module: { extension: '.ts' }, postProcess: [] },
    logs: { level: 'silent', file: false },
    plugins: [
      { name: '@hey-api/client-fetch', throwOnError: false },
      { name: '@hey-api/typescript' },
      { name: '@hey-api/sdk' },
    ],
  });
}
