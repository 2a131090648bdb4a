import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateClient } from './generate.ts';

/** The parts of the OpenAPI document that the client has otherwise. */
interface Document {
  paths: Record<string, object>;
  components: {
    schemas: { Failure: { properties: { error: { properties: { code: { enum: string[] } } } } } };
  };
}

const ROOT = join(import.meta.dirname, '../..');

/** `npm run client [folder]`: generates the TypeScript client from the OpenAPI document of the api. */
const folder = process.argv[2] ?? join(ROOT, 'libs/client/src/generated');
const temporary = mkdtempSync(join(tmpdir(), 'signalbox-client-'));
try {
  const path = join(temporary, 'openapi.json');
  writeFileSync(path, JSON.stringify(forClient(readDocument())));
  await generateClient(path, folder);
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', '--vcs-enabled=false', folder], {
    cwd: ROOT,
    stdio: 'pipe',
  });
  console.log(`Generated ${folder}`);
} finally {
  rmSync(temporary, { recursive: true });
}

/** Runs the program of the api that prints its document. */
function readDocument(): Document {
  const api = join(ROOT, 'apps/api');
  const bundle = join(api, 'dist/document'); // in the api, whose packages it finds from there
  const input = ['--input', 'src/docs/print-document.ts', '--dir', bundle];
  execFileSync(join(ROOT, 'node_modules/.bin/rolldown'), ['-c', '../../rolldown.config.mjs', ...input], {
    cwd: api,
    stdio: 'pipe',
  });
  const printed = execFileSync(process.execPath, [join(bundle, 'main.js')], {
    maxBuffer: 64 * 1024 * 1024,
    encoding: 'utf8',
  });
  return JSON.parse(printed) as Document;
}

/**
 * Adds the code that the client itself gives to a call without an answer, and omits the stream: a generated function
 * would repeat a refused call forever, and hand over events without their kinds.
 */
function forClient(document: Document): Document {
  delete document.paths['/v1/stream'];
  document.components.schemas.Failure.properties.error.properties.code.enum.push('no_answer');
  return document;
}
