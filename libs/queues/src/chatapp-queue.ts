/** Chat-app submissions to fan out and submit. */
export const CHATAPP_QUEUE = 'chatapp';
