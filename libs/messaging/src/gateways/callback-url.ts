/**
 * Returns the address at which the vendor of a gateway calls back.
 *
 * @param publicUrl the public address of the API
 */
export function callbackUrlOf(publicUrl: string, gateway: string): string {
  return `${publicUrl.replace(/\/$/, '')}/v1/callbacks/${gateway}`;
}
