/**
 * Limits the weight of the work in progress. Work that does not fit waits, in the order of its arrival; a piece that is
 * heavier than the limit runs alone.
 */
export class WorkLimit {
  private inProgress = 0;
  private readonly waiting: { weight: number; start: () => void }[] = [];

  /** @param max weight of all work in progress */
  constructor(private readonly max: number) {}

  /** Runs work once it fits. @throws what the work threw */
  async run<R>(weight: number, work: () => Promise<R>): Promise<R> {
    if (this.waiting.length === 0 && this.fits(weight)) this.inProgress += weight;
    else await new Promise<void>((resolve) => this.waiting.push({ weight, start: resolve }));
    try {
      return await work();
    } finally {
      this.inProgress -= weight;
      this.startWaiting();
    }
  }

  /** Starts all work that waits, whatever it weighs. */
  startAll(): void {
    for (const { weight, start } of this.waiting.splice(0)) {
      this.inProgress += weight;
      start();
    }
  }

  private startWaiting(): void {
    for (let next = this.waiting[0]; next && this.fits(next.weight); next = this.waiting[0]) {
      this.waiting.shift();
      this.inProgress += next.weight;
      next.start();
    }
  }

  private fits(weight: number): boolean {
    return this.inProgress === 0 || this.inProgress + weight <= this.max;
  }
}
