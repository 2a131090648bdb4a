const SEVERAL = /^(?<before>postgres(?:ql)?:\/\/(?:[^@/?]*@)?)(?<hosts>[^@/?]*)(?<after>.*)$/;

const known = new Map<string, Hosts>();

/**
 * The hosts of a database, of which one takes writes. All pools of a process use the same one, until a connection to it
 * fails or it turns out to be a standby; then the next in turn.
 */
export class Hosts {
  private at = 0;

  private constructor(private readonly urls: readonly [string, ...string[]]) {}

  /** Returns the hosts of a `postgres://user:password@host:5432,host:5432/name`. */
  static of(url: string): Hosts {
    let hosts = known.get(url);
    if (!hosts) known.set(url, (hosts = new Hosts(urlsOf(url))));
    return hosts;
  }

  get count(): number {
    return this.urls.length;
  }

  /** The address to connect to. */
  get current(): string {
    return this.urls[this.at] ?? this.urls[0];
  }

  /** Goes to the next host, unless another connection already left this one. */
  leave(url: string): void {
    if (url === this.current) this.at = (this.at + 1) % this.urls.length;
  }
}

function urlsOf(url: string): [string, ...string[]] {
  const { before, hosts = '', after } = SEVERAL.exec(url)?.groups ?? {};
  const [first, ...others] = hosts.split(',').map((host) => `${before}${host}${after}`);
  return before === undefined || others.length === 0 ? [url] : [first ?? url, ...others];
}
