import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/**
 * Watches a folder with all folders below it, also those made later. Node's recursive watcher misses the changes of a
 * file that was replaced, as editors and Git do when they write.
 */
export class FolderWatch implements Disposable {
  private readonly changed: (file: string) => void;
  private readonly watchers = new Map<string, FSWatcher>();

  /** @param changed called with the path of each file that changes, comes or goes */
  constructor(root: string, changed: (file: string) => void) {
    this.changed = changed;
    this.add(root);
  }

  [Symbol.dispose](): void {
    for (const folder of this.watchers.keys()) this.remove(folder);
  }

  /** @returns the files of the folder and of those below it */
  private add(folder: string): string[] {
    this.watchers.set(
      folder,
      watch(folder, (_, name) => this.note(join(folder, name ?? ''))),
    );
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? this.add(path) : [path];
    });
  }

  private note(path: string): void {
    if (!isFolder(path)) {
      this.remove(path);
      this.changed(path);
    } else if (!this.watchers.has(path)) for (const file of this.add(path)) this.changed(file);
  }

  private remove(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
