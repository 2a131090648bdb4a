/**
 * The guard of a state change, for the WHERE of a statement that already names its rows by key. Written so that the planner
 * cannot take it for a way to find rows: as a plain condition it looks so selective on a table without statistics that every
 * open row is read and compared with every key of the batch.
 */
export function guard(condition: string): string {
  return `CASE WHEN ${condition} THEN true END`;
}
