const ADDRESS = /^(?<before>postgres(?:ql)?:\/\/(?:[^@/?]*@)?)(?<hosts>[^@/?]*)(?<after>.*)$/;

const byUrl = new Map<string, Hosts>();

/**
 * The hosts of a database, of which one takes writes. All pools of a process use the same host, until a connection to
 * it fails or it turns out to be a standby. Then they use the next one.
 */
export class Hosts {
  private index = 0;
  private brokenAt = -Infinity;

  private constructor(private readonly urls: readonly [string, ...string[]]) {}

  /** Returns the hosts of a `postgres://user:password@host:5432,host:5432/name`. */
  static of(url: string): Hosts {
    let hosts = byUrl.get(url);
    if (!hosts) byUrl.set(url, (hosts = new Hosts(urlsOf(url))));
    return hosts;
  }

  get count(): number {
    return this.urls.length;
  }

  /** The address to connect to. */
  get current(): string {
    return this.urls[this.index] ?? this.urls[0];
  }

  /** Notes that a connection ended by itself, or got no answer. */
  noteBreak(): void {
    this.brokenAt = performance.now();
  }

  /** True when a connection broke within the last milliseconds. */
  hasBrokenWithin(ms: number): boolean {
    return performance.now() - this.brokenAt < ms;
  }

  /** Moves on to the next host, unless another connection already left `url`. */
  leave(url: string): void {
    if (url === this.current) this.index = (this.index + 1) % this.urls.length;
  }
}

function urlsOf(url: string): [string, ...string[]] {
  const { before, hosts = '', after } = ADDRESS.exec(url)?.groups ?? {};
  const [first, ...others] = hosts.split(',').map((host) => `${before}${host}${after}`);
  return before === undefined || others.length === 0 ? [url] : [first ?? url, ...others];
}
