import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';

/** Faults of all connections of a proxy, in both directions. */
export interface Faults {
  /** Time for which each piece is held. */
  latencyMs?: number;
  /** Largest piece that is passed on at a time. */
  sliceBytes?: number;
  bytesPerSecond?: number;
  /** True holds all bytes, also of new connections, until the fault ends. */
  isStalled?: boolean;
}

/** A TCP proxy that treats its connections badly: `await using proxy = await startProxy(url)`. */
export interface Proxy extends AsyncDisposable {
  /** The address behind the proxy, by way of the proxy. */
  url: string;
  /** Number of open connections. */
  connections(): number;
  /** Sets the faults from now on; `{}` ends all of them. */
  set(faults: Faults): void;
  /**
   * Makes the present connections half-open: they stay, and what is sent on them is lost. New ones work.
   *
   * @returns the number of those that the near side has not ended since
   */
  loseAll(): () => number;
  /** Leads new connections to the server of another URL. The present ones stay. */
  lead(to: string): void;
  /** Resets all connections and refuses new ones until `mend`. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

const STALL_CHECK_MS = 20;

/** Starts a proxy on a free port of 127.0.0.1. @param to a URL with host and port */
export async function startProxy(to: string): Promise<Proxy> {
  let target = new URL(to);
  const lines = new Set<Line>();
  let faults: Faults = {};
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const { hostname: host, port: farPort } = target;
    const far = connect({ host, port: Number(farPort), allowHalfOpen: true, noDelay: true });
    const line = new Line(near, far, () => faults);
    lines.add(line);
    near.once('close', () => lines.delete(line));
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    for (const line of lines) line.reset();
    await closed;
  };
  return {
    url: withPort(to, port),
    connections: () => lines.size,
    set: (next) => void (faults = next),
    loseAll: () => {
      const lost = [...lines];
      for (const line of lost) line.lose();
      return () => lost.filter(({ hasLeft }) => !hasLeft).length;
    },
    lead: (other) => void (target = new URL(other)),
    cut,
    mend: () => listen(server, port),
    [Symbol.asyncDispose]: cut,
  };
}

/** One connection through the proxy. */
class Line {
  /** True once the near side has ended it. */
  hasLeft = false;
  private isLost = false;
  private readonly near: Socket;
  private readonly far: Socket;
  private readonly faults: () => Faults;

  constructor(near: Socket, far: Socket, faults: () => Faults) {
    this.near = near;
    this.far = far;
    this.faults = faults;
    for (const event of ['end', 'close']) near.once(event, () => (this.hasLeft = true));
    for (const socket of [near, far]) socket.on('error', () => this.end());
    for (const socket of [near, far]) socket.on('close', () => this.end());
    void this.pass(near, far).catch(() => this.end());
    void this.pass(far, near).catch(() => this.end());
  }

  lose(): void {
    this.isLost = true;
  }

  reset(): void {
    this.near.resetAndDestroy();
    this.far.destroy();
  }

  /** The end of one side reaches the other, unless the line is lost. */
  private end(): void {
    if (this.isLost) return;
    this.near.destroy();
    this.far.destroy();
  }

  private async pass(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let start = 0; start < chunk.length; ) {
        const { sliceBytes = chunk.length } = this.faults();
        await this.passPiece(chunk.subarray(start, (start += sliceBytes)), to);
      }
    }
    if (!this.isLost) to.end();
  }

  private async passPiece(piece: Buffer, to: Socket): Promise<void> {
    const { latencyMs = 0, bytesPerSecond, sliceBytes } = this.faults();
    const heldMs = latencyMs + (bytesPerSecond === undefined ? 0 : (piece.length / bytesPerSecond) * 1_000);
    if (heldMs > 0) await delay(heldMs);
    else if (sliceBytes !== undefined) await nextTick(); // the receiver reads this piece by itself
    while (this.faults().isStalled && !to.destroyed) await delay(STALL_CHECK_MS);
    if (this.isLost || to.destroyed) return;
    if (!to.write(piece)) await once(to, 'drain');
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function withPort(address: string, port: number): string {
  const url = new URL(address);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}
