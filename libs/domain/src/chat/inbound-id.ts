/**
 * The id of an inbound message: that of the callback which brought it, and its place in there. Whoever takes a callback in knows the ids of
 * its messages before they are read, and reading it again gives them the same.
 *
 * @param index counted from 0; the first has the id of the callback itself
 */
export function inboundId(callbackId: string, index: number): string {
  const low = (Number.parseInt(callbackId.slice(-4), 16) ^ index) & 0xffff;
  return callbackId.slice(0, -4) + low.toString(16).padStart(4, '0');
}
