import type { KeyObject } from 'node:crypto';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { WebhookTarget } from '@signalbox/database/webhooks/push-targets';
import type { RenderedPush } from '@signalbox/domain/webhooks/delivery-report';
import { usableBatch } from '@signalbox/domain/webhooks/push-batch';
import type { CallOwner, Destination } from '@signalbox/gateways/webhook-call';

/** A webhook as it was read, with opened secrets. Several pushes share one. */
export interface OpenTarget extends Omit<WebhookTarget, 'sealedSecret' | 'oldSecrets'> {
  /** The newest first; empty when the newest cannot be opened, or the settings of the webhook are invalid. */
  secrets: KeyObject[];
  /** When it was read from the database, by `performance.now()`. */
  readAt: number;
  /** Made for the first call. */
  compiled?: CompiledTarget;
}

/** The part of a webhook's calls that is the same in each. */
export interface CompiledTarget {
  render: (report: AppliedReport) => RenderedPush;
  /** Undefined for a GET, whose URL holds the report. */
  destination: Destination | undefined;
  /** Is true when a call shows the carrier of its recipient. */
  namesCarrier: boolean;
  owner: CallOwner;
}

/** Completes a webhook as it was read. */
export function openTarget(
  { sealedSecret: _, oldSecrets: __, ...target }: WebhookTarget,
  secrets: KeyObject[],
): OpenTarget {
  return { ...target, batch: usableBatch(target), secrets, readAt: performance.now() };
}
