import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateClient } from './generate.ts';

/** The part of the OpenAPI document that lists the codes of failures. */
interface Document {
  components: {
    schemas: { Failure: { properties: { error: { properties: { code: { enum: string[] } } } } } };
  };
}

const ROOT = join(import.meta.dirname, '../..');

/** `npm run client [folder]`: generates the TypeScript client from the OpenAPI document of the built api. */
const folder = process.argv[2] ?? join(ROOT, 'libs/client/src/generated');
const temporary = mkdtempSync(join(tmpdir(), 'signalbox-client-'));
try {
  const path = join(temporary, 'openapi.json');
  const printed = execFileSync(process.execPath, [join(ROOT, 'apps/api/dist/docs/print-document.js')], {
    maxBuffer: 64 * 1024 * 1024,
    encoding: 'utf8',
  });
  writeFileSync(path, JSON.stringify(withNoAnswer(JSON.parse(printed) as Document)));
  await generateClient(path, folder);
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', '--vcs-enabled=false', folder], {
    cwd: ROOT,
    stdio: 'pipe',
  });
  console.log(`Generated ${folder}`);
} finally {
  rmSync(temporary, { recursive: true });
}

/** Adds the code that the client itself gives to a call without an answer. */
function withNoAnswer(document: Document): Document {
  document.components.schemas.Failure.properties.error.properties.code.enum.push('no_answer');
  return document;
}
