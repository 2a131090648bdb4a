/** One broken rule of one field of a request. */
export interface Violation {
  /** Path of the field: `components[1].buttons[0].url`, `to[3]`. */
  field: string;
  /** Stable identifier in snake_case: `required`, `max_length`. */
  rule: string;
  /** Sentence without its subject: `must be at most 1024 characters`. */
  message: string;
}

/** Builds a violation. */
export function violation(field: string, rule: string, message: string): Violation {
  return { field, rule, message };
}
