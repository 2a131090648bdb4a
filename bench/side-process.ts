import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** A separate process, so that its CPU is counted apart from the stack. It ends with the process that started it. */
export interface SideProcess extends AsyncDisposable {
  pid: number;
  /**
   * Sends it one of its commands.
   *
   * @throws Error with what the command threw
   */
  ask: <A>(command: string, input?: object) => Promise<A>;
}

interface Question {
  id: number;
  command: string;
  input: object;
}

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** Starts a file, named by its full path or from this folder, and resolves when it answers commands. */
export async function startSideProcess(file: string, env: NodeJS.ProcessEnv = {}): Promise<SideProcess> {
  const child = fork(resolve(import.meta.dirname, file), { env: { ...process.env, ...env } });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  const exited = once(child, 'exit');
  void exited.then(() => open.forEach(({ reject }) => reject(new Error(`${file} ended`))));
  let lastId = 0;
  const ask = <A>(command: string, input: object = {}): Promise<A> => {
    const id = (lastId += 1);
    const answer = Promise.withResolvers<unknown>();
    open.set(id, answer);
    child.send({ id, command, input } satisfies Question);
    return answer.promise as Promise<A>;
  };
  child.on('message', ({ id, value, error }: Answer) => {
    if (error === undefined) open.get(id)?.resolve(value);
    else open.get(id)?.reject(new Error(`${file}: ${error}`));
    open.delete(id);
  });
  const end = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await exited;
  };
  await ask('ready');
  return { pid: child.pid ?? 0, ask, [Symbol.asyncDispose]: end };
}

/** Lets this process answer the commands of the process that started it, and ends it when that one is gone. */
export function answerCommands(commands: Record<string, (input: never) => unknown>): void {
  const all: typeof commands = { ready: () => true, ...commands };
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', (question: Question) => void reply(all[question.command], question));
}

async function reply(
  command: ((input: never) => unknown) | undefined,
  { id, input }: Question,
): Promise<void> {
  try {
    if (!command) throw new Error('no such command');
    process.send?.({ id, value: await command(input as never) } satisfies Answer);
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies Answer);
  }
}
