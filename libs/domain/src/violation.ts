/** One broken rule of one field of a request (decisions, Envelope). */
export interface Violation {
  /** The path of the field: `components[1].buttons[0].url`, `to[3]`. */
  field: string;
  /** A stable word in snake_case: `required`, `max_length`. */
  rule: string;
  /** A sentence without its subject: `must be at most 1024 characters`. */
  message: string;
}
