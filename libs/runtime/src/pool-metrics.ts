import { Gauge } from 'prom-client';

/** Use of a pool of connections. */
export interface PoolUse {
  /** Connections that run a statement. */
  used: number;
  open: number;
  /** Callers that wait for a connection. */
  waiting: number;
  /** Connections that may be open. */
  max: number;
}

const pools = new Map<string, () => PoolUse>();

const gauge = new Gauge({
  name: 'signalbox_pool_connections',
  help: 'Connections to Postgres by pool: used, open and max, and the callers waiting for one',
  labelNames: ['pool', 'state'],
  collect() {
    for (const [pool, read] of pools)
      for (const [state, count] of Object.entries(read())) gauge.set({ pool, state }, count);
  },
});

/** Shows the use of a pool, read at each scrape. */
export function exposePool(name: string, read: () => PoolUse): void {
  pools.set(name, read);
}
