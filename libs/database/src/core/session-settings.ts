/** The kind of work that a connection is for. */
export interface SessionKind {
  /**
   * `durable` waits for the disk at each commit, as every answer "accepted" needs. `asynchronous` does not: it serves
   * the steps of a worker, which are repeated from rows that are already safe.
   */
  commit: 'durable' | 'asynchronous';
  /**
   * `kept`, the default, plans a statement once: its best plan is the same for all values. `fresh` plans each call: the
   * filters of a search decide which index serves it.
   */
  plans?: 'kept' | 'fresh';
  /**
   * `bounded`, the default, fails a statement after 8 s. `long` lets it run, as building an index on a large table
   * needs, but gives up waiting for a lock sooner, because everything else queues behind that wait.
   */
  statements?: 'bounded' | 'long';
}

/**
 * The limits of a statement. `queryMs` bounds the client's wait, which also ends on a connection that lost its other end;
 * 0 is no limit. `idle` ends a transaction whose client vanished without closing its connection: its locks would block
 * others for hours.
 */
export const STATEMENT_LIMITS = {
  bounded: { statement: '8s', lock: '5s', idle: '20s', queryMs: 10_000 },
  long: { statement: '0', lock: '2s', idle: '0', queryMs: 0 },
};

/**
 * Returns the settings of a session. They allow only plans that look up a batch of keys in an index, as every statement
 * of the hot path should. Plans are kept (see StatementClient), and a plan made while the tables were empty would still
 * read whole tables once they hold millions of rows: in a scan, or to materialize them for a join.
 */
export function sessionSettings({
  commit,
  plans = 'kept',
  statements = 'bounded',
}: SessionKind): Record<string, string> {
  const limits = STATEMENT_LIMITS[statements];
  return {
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idle,
    synchronous_commit: commit === 'durable' ? 'on' : 'off',
    random_page_cost: '1.1',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    enable_material: 'off',
    plan_cache_mode: plans === 'kept' ? 'auto' : 'force_custom_plan',
    // compiling takes longer than most statements, and Postgres decides by an estimate as if all partitions were read
    jit: 'off',
    // date_trunc('hour', …) otherwise begins hours at the half hour in India
    timezone: 'UTC',
  };
}

/** Settings that a database must have by itself where a pooler drops those of a session. They are safe for all work. */
export const POOLED_SETTINGS: Readonly<Record<string, string>> = sessionSettings({ commit: 'durable' });
