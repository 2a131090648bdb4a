import { inTransaction } from '@signalbox/database/core/in-transaction';
import { serveWaiting } from '@signalbox/runtime/ops-server';
import type { Logger } from '@signalbox/runtime/logger';
import { whileAway } from './while-away.ts';

/** Tries of a database that refuses the connection, because its role or password may not be set yet. */
const REFUSALS = 60;

/** A process that starts. */
export interface Starting {
  app: string;
  url: string;
  logger: Logger;
  port: number;
  host: string;
}

/**
 * Waits until the database of a starting process accepts connections: without a limit while it does not answer, and for
 * a minute while it refuses. Meanwhile the process is alive and not ready on its port.
 *
 * @throws the last error; immediately one that waiting does not cure, such as a certificate that cannot be verified or
 * a missing file of certificates
 */
export async function awaitDatabase({ app, url, logger, port, host }: Starting): Promise<void> {
  await using open = new AsyncDisposableStack();
  await whileAway(() => inTransaction(url, app, () => Promise.resolve()), {
    logger,
    refusals: REFUSALS,
    onWait: async () => {
      const waiting = await serveWaiting(['database'], port, host);
      open.defer(() => waiting.close());
    },
  });
}
