/** A count that stops at a limit: `10,000+`. */
export function upTo(count: number, limit: number): string {
  return count >= limit ? `${limit.toLocaleString()}+` : count.toLocaleString();
}

/** A count with its noun: `1 message`, `1,200 messages`. @param many the plural, with an s by default */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
