/** Prints for the forwarders of one run, which wait for the same program and the same API. */
export class Notices {
  readonly print: (line: string) => void;
  private reason: string | undefined;

  constructor(print: (line: string) => void) {
    this.print = print;
  }

  /** Prints why a forwarder waits, unless another has printed it since the last call of `resume`. */
  pause(reason: string): void {
    if (this.reason !== reason) this.print(reason);
    this.reason = reason;
  }

  /** Lets the next reason be printed, whatever it is. */
  resume(): void {
    this.reason = undefined;
  }
}
