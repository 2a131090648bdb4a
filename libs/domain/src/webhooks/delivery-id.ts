const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const DELIVERY_ID = new RegExp(`^(${UUID})_(${UUID})$`);

/** Builds the id of a push, for receivers (`webhook-id`) and the API. All attempts and replays share it. */
export function deliveryId(reportId: string, webhookId: string): string {
  return `${reportId}_${webhookId}`;
}

/** Parses the id of a push; undefined for any other text. */
export function parseDeliveryId(id: string): { reportId: string; webhookId: string } | undefined {
  const [, reportId, webhookId] = DELIVERY_ID.exec(id) ?? [];
  return reportId === undefined || webhookId === undefined ? undefined : { reportId, webhookId };
}
