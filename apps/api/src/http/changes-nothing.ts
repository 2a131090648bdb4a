/** Whether a change names no field that it knows, so that nothing may move, not even `updatedAt`. */
export function changesNothing(change: object): boolean {
  return Object.values(change).every((value) => value === undefined);
}
