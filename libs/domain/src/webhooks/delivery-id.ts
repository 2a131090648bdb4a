const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const DELIVERY_ID = new RegExp(`^(${UUID})_(${UUID})$`);

/** The name of a push, for receivers (`webhook-id`) and for the API: the same over all its tries and replays. */
export function deliveryId(reportId: string, webhookId: string): string {
  return `${reportId}_${webhookId}`;
}

/** What a push's name stands for; undefined when it is none. */
export function parseDeliveryId(id: string): { reportId: string; webhookId: string } | undefined {
  const [, reportId, webhookId] = DELIVERY_ID.exec(id) ?? [];
  return reportId === undefined || webhookId === undefined ? undefined : { reportId, webhookId };
}
