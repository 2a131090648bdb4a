/** The most recipients one SMS call may name (decisions, POST /v1/sms). */
export const MAX_RECIPIENTS = 10_000;

/** The most parts one SMS may have; a longer text is refused. */
export const MAX_SMS_PARTS = 10;

/** A large submission is fanned out in chunks of so many messages, so that one bulk never holds a worker. */
export const FAN_OUT_CHUNK = 500;

/** A row that was taken up this often without an end is parked: kept, counted in the metrics, and left for a person. */
export const MAX_STARTS = 10;

/** How long a worker may hold the messages it submits; after that another may take them up. */
export const LEASE_SECONDS = 10;

/** A row without a job is rung for again when it is older than this, and after each ring waits twice as long. */
export const RESCUE_AFTER_SECONDS = 10;

/** How long an idempotency key answers for its first call. */
export const IDEMPOTENCY_HOURS = 48;
