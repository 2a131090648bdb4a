import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { argumentProblem } from '../cli/argument-problem.ts';
import { APPS, type AppName } from '../servers/app-process.ts';

const USAGE = readFileSync(join(import.meta.dirname, 'usage.txt'), 'utf8').trimEnd();

/** Arguments of `npm start` and `npm run dev`. */
export interface StartArguments {
  reset: boolean;
  /** The data folder. */
  data: string;
  /** True for `npm run dev`. */
  dev: boolean;
  apps: readonly AppName[];
  /** Port that the API must have; undefined for the next free one. */
  port: number | undefined;
}

/**
 * Reads the arguments of the process. Prints the usage, and ends the process, for wrong ones and for --help.
 *
 * @param port value of PORT
 */
export function readArguments(port: string | undefined): StartArguments {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        reset: { type: 'boolean', default: false },
        data: { type: 'string', default: join(import.meta.dirname, '../../.signalbox') },
        dev: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) end(USAGE, 0);
    const { reset, dev } = values;
    return { reset, data: resolve(values.data), dev, apps: appsOf(positionals, dev), port: portOf(port) };
  } catch (error) {
    return end(`${argumentProblem(error as Error)}\n${USAGE}`, 1);
  }
}

function appsOf(names: string[], mayBeSome: boolean): readonly AppName[] {
  if (names.length === 0) return APPS;
  if (!mayBeSome) throw new Error('npm start runs all apps; npm run dev runs some.');
  return names.map((name) => {
    const app = APPS.find((each) => each === name);
    if (!app) throw new Error(`There is no app "${name}".`);
    return app;
  });
}

function portOf(text: string | undefined): number | undefined {
  if (!text || text === '0') return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`PORT must be a number from 1 to 65535, not "${text}".`);
  return port;
}

function end(text: string, code: number): never {
  (code === 0 ? console.log : console.error)(text);
  process.exit(code);
}
