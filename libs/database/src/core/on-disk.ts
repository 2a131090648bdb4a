/**
 * Makes a commit wait for the disk on any connection. It stands in the RETURNING of a statement that makes events: as a
 * sub-select, it is evaluated once, for the first row, so a statement that returns no row does not wait. An event that
 * was pushed must survive a crash of the database: made again, it would have another id, and its push a second
 * `webhook-id`.
 */
export const ON_DISK = `(SELECT set_config('synchronous_commit', 'on', true))`;
