/**
 * Derives the id of an inbound message from the id of its callback and its position in it. Reading a callback
 * again yields the same ids.
 *
 * @param index counted from 0; the first has the id of the callback itself
 */
export function inboundId(callbackId: string, index: number): string {
  const low = (Number.parseInt(callbackId.slice(-4), 16) ^ index) & 0xffff;
  return callbackId.slice(0, -4) + low.toString(16).padStart(4, '0');
}
