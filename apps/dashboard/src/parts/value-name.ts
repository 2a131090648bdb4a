/** Stands in a preview for a value that is not known yet. */
export const valueName = (n: number): string => `[value ${n}]`;
