/** The condition of an optional property. */
export const IS_GIVEN = (_: unknown, value: unknown): boolean => value !== undefined;
