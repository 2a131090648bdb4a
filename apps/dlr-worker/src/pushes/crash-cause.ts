import type { INestApplicationContext } from '@nestjs/common';
import { findSuspects } from '@signalbox/gateways/connection';
import type { CrashCause } from '@signalbox/runtime/run-main';
import { Endpoints } from '../endpoints/endpoints.ts';

/**
 * Finds the webhook whose call threw an uncaught exception, and opens the breakers of all webhooks that were calling
 * the same origin before the process ends. The next process then makes only a probe to that origin, after 30 s. A probe
 * that throws again keeps the breakers open twice as long, up to 10 min, so that one endpoint cannot block the pushes
 * of others.
 *
 * @returns undefined when no call threw it
 */
export function findCrashCause(app: INestApplicationContext): CrashCause | undefined {
  const suspects = findSuspects();
  const [first] = suspects;
  if (!first) return undefined;
  const webhookIds = suspects.flatMap(({ webhookId }) => webhookId ?? []);
  return {
    fields: { ...first, stoppedWebhooks: webhookIds.length },
    recorded: app.get(Endpoints, { strict: false }).openBreakers(webhookIds),
  };
}
