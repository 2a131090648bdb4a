import type { CallbackFormat } from './callback-format.ts';
import { CHAT_SIMULATOR, chatSimulatorCallbacks } from './simulator/chat-callback.ts';

const FORMATS: ReadonlyMap<string, CallbackFormat> = new Map([[CHAT_SIMULATOR, chatSimulatorCallbacks]]);

/** How a gateway calls back; undefined when none of this name does. */
export function callbackFormat(gateway: string): CallbackFormat | undefined {
  return FORMATS.get(gateway);
}
