/**
 * In the RETURNING of a statement that makes an event: its commit waits for the disk, whatever the connection's `commit`
 * is, and nothing waits when no row is returned. What was pushed must survive a crash of the database. Otherwise
 * the event would be made again under another id, and its push would have a second `webhook-id`.
 */
export const ON_DISK = `set_config('synchronous_commit', 'on', true)`;
