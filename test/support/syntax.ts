import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Language, Parser } from '@vscode/tree-sitter-wasm';

const require = createRequire(import.meta.url);

/** A language that is parsed without its compiler or interpreter. */
export type Grammar = 'go' | 'php' | 'python';

/** Parses sources of a language. @returns the paths of those with a syntax error */
export async function findSyntaxErrors(grammar: Grammar, paths: readonly string[]): Promise<string[]> {
  await Parser.init();
  const path = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  const parser = new Parser().setLanguage(await Language.load(path));
  return paths.filter((source) => parser.parse(readFileSync(source, 'utf8'))?.rootNode.hasError !== false);
}
