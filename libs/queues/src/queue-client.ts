import pg from 'pg';

/**
 * A connection to a queue on Postgres. A break is reported by the next statement. Between two of them, or while a pool
 * hands the connection over, nobody listens to its errors: Node would end the process.
 */
export class QueueClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
