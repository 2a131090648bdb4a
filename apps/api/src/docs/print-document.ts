import { buildDocument } from './docs.ts';
import { createPreview } from './preview.ts';

/** Prints the OpenAPI document of all operations. */
process.stdout.write(`${JSON.stringify(buildDocument(await createPreview()), null, 2)}\n`);
