/** Reads malformed text as 0, which is the id of no account. */
export function readChatAccountId(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}
