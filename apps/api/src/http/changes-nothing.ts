/** Is true for a change that names no known field: nothing may change then, not even `updatedAt`. */
export function changesNothing(change: object): boolean {
  return Object.values(change).every((value) => value === undefined);
}
