const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const DELIVERY_ID = new RegExp(`^(${UUID})_(${UUID})$`);

/** Builds the id of a push, for receivers (`webhook-id`) and the API. All attempts and replays share it. */
export function deliveryId(reportId: string, webhookId: string): string {
  return `${reportId}_${webhookId}`;
}

/**
 * The place of a status among those of its message, from 1, for receivers (`webhook-sequence`); 0 for `SUBMITTED`,
 * which is none of them.
 *
 * @param earlier the reports that moved the message before; null for none
 */
export function sequenceOf({ status, earlier }: { status: string; earlier: string[] | null }): number {
  return status === 'SUBMITTED' ? 0 : (earlier?.length ?? 0) + 1;
}

/** Parses the id of a push; undefined for any other text. */
export function parseDeliveryId(id: string): { reportId: string; webhookId: string } | undefined {
  const [, reportId, webhookId] = DELIVERY_ID.exec(id) ?? [];
  return reportId === undefined || webhookId === undefined ? undefined : { reportId, webhookId };
}
