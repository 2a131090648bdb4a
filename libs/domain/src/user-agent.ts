/** The `User-Agent` of calls to webhooks and gateways. Some firewalls refuse calls without one. */
export const USER_AGENT = 'Signalbox';
