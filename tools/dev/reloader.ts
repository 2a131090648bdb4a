import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AppName, Stack } from '../stack.ts';
import { FolderWatch } from './folder-watch.ts';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Milliseconds in which changes are gathered: editors write several files together. */
const GATHER_MS = 100;

/** Folders of packages that no app loads as code. */
const NOT_LOADED = new Set(['apps/dashboard', 'libs/client']);

/** Builds packages whose sources change, and restarts the apps that use them. */
export class Reloader implements Disposable {
  private readonly stack: Stack;
  private readonly apps: readonly AppName[];
  private readonly say: (text: string) => void;
  private readonly watchers: FolderWatch[];
  /** Packages to build. */
  private changed = new Set<string>();
  /** Packages of the last reload, if one did not compile: the next change builds them too. */
  private unfinished: readonly string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isBusy = false;
  private isClosed = false;

  constructor(stack: Stack, apps: readonly AppName[], say: (text: string) => void) {
    this.stack = stack;
    this.apps = apps;
    this.say = say;
    this.watchers = packages().map(
      (folder) => new FolderWatch(join(ROOT, folder, 'src'), (file) => this.note(folder, file)),
    );
  }

  [Symbol.dispose](): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const watcher of this.watchers) watcher[Symbol.dispose]();
  }

  private note(folder: string, file: string): void {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) return;
    this.changed.add(folder);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.reload(), GATHER_MS);
  }

  /** Changes during a reload cause the next one. */
  private async reload(): Promise<void> {
    if (this.isBusy || this.isClosed) return;
    this.isBusy = true;
    while (this.changed.size > 0 && !this.isClosed) {
      const folders = inBuildOrder(new Set([...this.unfinished, ...this.changed]));
      this.changed = new Set();
      this.unfinished = [];
      await this.apply(folders);
    }
    this.isBusy = false;
  }

  /** Restarts nothing when a package does not compile: the apps continue with what they have. */
  private async apply(folders: string[]): Promise<void> {
    const startedAt = performance.now();
    for (const folder of folders) {
      const problems = await compile(folder);
      if (problems !== '') {
        this.unfinished = folders;
        return this.say(`${folder} does not compile:\n${problems}`);
      }
    }
    const apps = this.usersOf(folders);
    if (apps.length === 0) return;
    try {
      await Promise.all(apps.map((app) => this.stack.process(app).restart()));
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      this.say(`Reloaded ${apps.join(', ')} in ${seconds} s, for changes in ${folders.join(', ')}.`);
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  private usersOf(folders: readonly string[]): AppName[] {
    const isLib = folders.some((folder) => folder.startsWith('libs/'));
    return this.apps.filter((app) => isLib || folders.includes(`apps/${app}`));
  }
}

function packages(): string[] {
  return ['libs', 'apps']
    .flatMap((parent) => readdirSync(join(ROOT, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => !NOT_LOADED.has(folder) && existsSync(join(ROOT, folder, 'tsconfig.build.json')));
}

/** Sorts packages, each after those whose types it needs. */
function inBuildOrder(folders: ReadonlySet<string>): string[] {
  const order = new Set<string>();
  const add = (folder: string): void => {
    for (const lib of libsOf(folder)) add(lib);
    order.add(folder);
  };
  for (const folder of [...folders].toSorted()) add(folder);
  return [...order].filter((folder) => folders.has(folder));
}

/** The libs that a package declares. */
function libsOf(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  const prefix = '@signalbox/';
  return Object.keys(dependencies)
    .filter((name) => name.startsWith(prefix))
    .map((name) => `libs/${name.slice(prefix.length)}`);
}

/**
 * Compiles one package, and leaves its build as it is if that fails. The others see its new types at their next
 * build.
 *
 * @returns the errors; empty without any
 */
async function compile(folder: string): Promise<string> {
  const project = join(ROOT, folder, 'tsconfig.build.json');
  const child = spawn(process.execPath, [TSC, '-p', project, '--noEmitOnError'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const output = await text(child.stdout);
  return output.trim();
}
