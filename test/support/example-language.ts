import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Names of the examples that every language has. */
export type ExampleName = 'send' | 'bulk' | 'verify' | 'chat-template' | 'receive';

/** A language of the examples. */
export interface ExampleLanguage {
  /** The program that runs its examples; without it they are skipped. */
  needs: string;
  /** Command of an example, or of the receiver at a port. */
  command: (example: ExampleName, port?: number) => string[];
  /** Compiles the examples, once. */
  prepare?: () => void;
  [Symbol.dispose]: () => void;
}

/** Languages of `examples/`, by their names. */
export function listExampleLanguages(): Record<string, ExampleLanguage> {
  return {
    Node: node('node', 'mjs'),
    TypeScript: node('typescript', 'ts'),
    Python: python(),
    Go: go(),
    PHP: php(),
  };
}

/** Returns true when the program of a language is on the PATH. */
export function isInstalled({ needs }: ExampleLanguage): boolean {
  try {
    execFileSync(needs, [needs === 'go' ? 'version' : '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const given = (port?: number): string[] => (port === undefined ? [] : [String(port)]);
const nothing = (): void => {};

function node(folder: string, extension: string): ExampleLanguage {
  return {
    needs: process.execPath,
    command: (example, port) => [
      process.execPath,
      join(ROOT, 'examples', folder, `${example}.${extension}`),
      ...given(port),
    ],
    [Symbol.dispose]: nothing,
  };
}

function python(): ExampleLanguage {
  return {
    needs: 'python3',
    // without files of byte code in the repository
    command: (example, port) => [
      'python3',
      '-B',
      join(ROOT, 'examples/python', `${example.replace('-', '_')}.py`),
      ...given(port),
    ],
    [Symbol.dispose]: nothing,
  };
}

function go(): ExampleLanguage {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-go-'));
  const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '', GOCACHE: join(tmpdir(), 'signalbox-go-cache') };
  return {
    needs: 'go',
    command: (example, port) => [join(folder, example), ...given(port)],
    prepare: () =>
      void execFileSync('go', ['build', '-o', `${folder}/`, './...'], {
        cwd: join(ROOT, 'examples/go'),
        env,
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function php(): ExampleLanguage {
  return {
    needs: 'php',
    command: (example, port) => {
      const path = join(ROOT, 'examples/php', `${example}.php`);
      return port === undefined ? ['php', path] : ['php', '-S', `127.0.0.1:${port}`, path];
    },
    [Symbol.dispose]: nothing,
  };
}
