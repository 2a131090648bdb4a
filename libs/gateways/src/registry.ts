import type { CallbackFormat } from './callback-format.ts';
import { CLOUD_API_KIND } from './cloud-api/kind.ts';
import type { GatewayKind } from './gateway-kind.ts';
import { HTTP_KIND } from './http/kind.ts';
import { CHAT_SIMULATOR, chatSimulatorCallbacks } from './simulator/chat-callback.ts';
import { SIMULATOR_KIND } from './simulator/kind.ts';
import { SMPP_KIND } from './smpp/kind.ts';

/** Names that no row may have: the simulators, which serve a channel without rows. */
export const RESERVED_NAMES: readonly string[] = ['simulator', CHAT_SIMULATOR];

/** One entry per kind of gateway. */
export const GATEWAY_KINDS: readonly GatewayKind[] = [SIMULATOR_KIND, SMPP_KIND, HTTP_KIND, CLOUD_API_KIND];

/** Finds a kind by its name. */
export function findGatewayKind(
  name: string,
  kinds: readonly GatewayKind[] = GATEWAY_KINDS,
): GatewayKind | undefined {
  return kinds.find((each) => each.kind === name);
}

/** Finds the callback format of a simulator; undefined for any other name. */
export function simulatorCallbacks(gateway: string, secrets: readonly string[]): CallbackFormat | undefined {
  return gateway === CHAT_SIMULATOR ? chatSimulatorCallbacks(secrets) : undefined;
}
