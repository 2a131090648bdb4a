/** Runs work under the same key one after the other. Work under different keys runs concurrently. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @returns the outcome of `work`, which starts when earlier work under the key has ended, well or not */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const current = (this.last.get(key) ?? Promise.resolve()).then(work, work);
    this.last.set(key, current);
    try {
      return await current;
    } finally {
      if (this.last.get(key) === current) this.last.delete(key);
    }
  }
}
