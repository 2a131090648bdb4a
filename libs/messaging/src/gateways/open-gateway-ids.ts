import { listIdRules } from '@signalbox/database/gateways/id-rules';
import { messageId } from '@signalbox/domain/message-id';
import { applyIdForm } from '@signalbox/domain/routing/id-forms';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import { DurableGatewayIds } from './gateway-ids.ts';

/** Time for which the rule of a gateway's ids is reused. */
const RULE_MS = 1_000;

/**
 * Opens the map of gateways' ids: an early report is tried again when its id comes, a foreign spelling is respelled.
 */
export function openGatewayIds(durable: EntityManager, logger: Logger): DurableGatewayIds {
  const rules = new CachedLookup<string, string>(
    async (gateways) => {
      const forms = new Map((await listIdRules(durable)).map(({ gateway, form }) => [gateway, form]));
      return gateways.map((gateway) => forms.get(gateway));
    },
    { freshMs: RULE_MS, maxCached: 1_000 },
  );
  return new DurableGatewayIds(durable, {
    respell: async (gateway, id) => {
      const form = await rules.find(gateway);
      return form === undefined ? undefined : applyIdForm(form, id);
    },
    onRefused: ({ gateway, submissionId, n }, error) =>
      logger.error({ gateway, messageId: messageId(submissionId, n), error }, 'gateway.id_refused'),
  });
}
