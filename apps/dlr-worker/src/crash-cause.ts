import type { INestApplicationContext } from '@nestjs/common';
import { findSuspects } from '@signalbox/gateways/origin-connections';
import type { CrashCause } from '@signalbox/runtime/run-main';
import { Endpoints } from './endpoints.ts';

/**
 * The webhook whose call threw an exception that ends the process, and the breakers of all webhooks that were calling the same origin,
 * which open before the process ends. The next process then leaves that origin alone, but for a probe after 30 s: if that throws again,
 * the breakers stay open twice as long, to 10 min, so that one end point cannot keep the pushes of others from being made.
 *
 * @returns undefined when no call threw it
 */
export function findCrashCause(app: INestApplicationContext): CrashCause | undefined {
  const suspects = findSuspects();
  const [first] = suspects;
  if (!first) return undefined;
  const webhookIds = suspects.map(({ webhookId }) => webhookId);
  return {
    fields: { ...first, stoppedWebhooks: webhookIds.length },
    recorded: app.get(Endpoints, { strict: false }).open(webhookIds),
  };
}
