/** The text of an error; the error of an address with several hosts has one for each. */
export function reasonOf(error: unknown): string {
  const { message, errors = [] } = error as Error & { errors?: Error[] };
  return message || errors.map((each) => each.message).join('; ');
}
