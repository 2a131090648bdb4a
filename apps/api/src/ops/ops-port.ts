import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type Server, type Socket, createServer } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.ts';
import { ApiConfig } from '../config.ts';

/** A request that came in by a port. */
interface Arrival {
  socket: Pick<Socket, 'localPort'>;
}

/**
 * The port of operations: `/metrics`, and everything that needs the scope `ops`. It serves all other routes too, so
 * that operators open the dashboard there. Without OPS_PORT, operations are on the public port.
 */
@Injectable()
export class OpsPort {
  private readonly port: number;
  private server?: Server;

  constructor(private readonly config: ApiConfig) {
    this.port = config.OPS_PORT;
  }

  /** Opens the port. Its connections are those of `http`, with the same limits. */
  async open(http: HttpServer): Promise<void> {
    if (this.port === 0) return;
    this.server = createServer({ allowHalfOpen: true }, (socket) => http.emit('connection', socket));
    this.server.listen(this.port, this.config.HOST);
    await once(this.server, 'listening');
  }

  /** Takes no further connections. */
  close(): void {
    this.server?.close();
  }

  /** True for a request from which operations are kept: it came in by the public port, and they have another. */
  isClosedTo({ socket }: Arrival): boolean {
    return this.port !== 0 && socket.localPort !== this.port;
  }

  /** The caller with the scopes that count on the port of the request. */
  admit<C extends Caller>(caller: C, arrival: Arrival): C {
    if (!this.isClosedTo(arrival) || !caller.scopes.includes('ops')) return caller;
    return { ...caller, scopes: caller.scopes.filter((scope) => scope !== 'ops') };
  }
}
