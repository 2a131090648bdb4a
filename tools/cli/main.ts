import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentProblem } from './argument-problem.ts';
import { type Command, ProblemReport, UsageError, VERSION, wordsOn } from './command.ts';
import { COMMANDS } from './commands.ts';

/** Characters of a line of text. */
const WIDTH = 100;
const PROGRAM = process.env['SIGNALBOX_PROGRAM'] ?? 'npm run cli --';
/** The list of commands, which the bootstrap prints where nothing is installed. */
const USAGE = readFileSync(join(import.meta.dirname, 'usage.txt'), 'utf8')
  .trimEnd()
  .replaceAll('npm run cli --', PROGRAM);

const [name = 'help', ...args] = readCall(process.argv.slice(2));
const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.() : undefined;
if (['help', '--help', '-h'].includes(name)) console.log(USAGE);
else if (['--version', '-v'].includes(name)) console.log(VERSION);
else if (!command) fail(`There is no command "${name}".\n\n${USAGE}`);
else if (args.some((arg) => ['--help', '-h'].includes(arg))) console.log(usageOf(name, command));
else await run(name, command);

/** Turns `help <command>` into `<command> --help`. */
function readCall(words: string[]): string[] {
  const [first, ...rest] = words;
  return first === 'help' && rest.length > 0 ? [...rest, '--help'] : words;
}

async function run(called: string, chosen: Command): Promise<void> {
  try {
    console.log(await chosen.run(args));
  } catch (error) {
    const usage = `\n\n${usageOf(called, chosen)}`;
    if (error instanceof ProblemReport) report(error);
    else if (error instanceof UsageError) fail(error.message + usage);
    else if (isOfParseArgs(error)) fail(argumentProblem(error) + usage);
    else fail(wordsOn(error));
  }
}

function isOfParseArgs(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}

function usageOf(called: string, { forms, details }: Command): string {
  const lines = forms.map((form, i) =>
    `${i === 0 ? 'Usage: ' : '       '}${PROGRAM} ${called} ${form}`.trimEnd(),
  );
  const [, summary] = new RegExp(`^  ${called} +(.*)$`, 'm').exec(USAGE) ?? [];
  return [...lines, '', `${summary}.`, ...(details ? [fold(details)] : [])].join('\n');
}

function fold(text: string): string {
  const line = new RegExp(`(.{1,${WIDTH}})(?: |$)`, 'g');
  return text.replaceAll('\n', ' ').replace(line, '$1\n').trimEnd();
}

function report({ message }: ProblemReport): void {
  console.log(message);
  process.exitCode = 1;
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}
