import { findSuspects } from '@signalbox/gateways/connection';
import type { CrashCause } from '@signalbox/runtime/run-main';

/**
 * Names the gateway, or the webhook under test, whose call threw an uncaught exception. Nothing is recorded for the next
 * process.
 */
export function findCrashSuspect(): CrashCause | undefined {
  const [suspect] = findSuspects();
  return suspect && { fields: suspect };
}
