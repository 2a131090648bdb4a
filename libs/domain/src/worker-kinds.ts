/** Kinds of workers by the name of their fleet: the app, and what does not happen while none runs. */
export const WORKER_KINDS = {
  sms: { app: 'sms-worker', stops: 'SMS are not sent' },
  dlr: { app: 'dlr-worker', stops: 'reports are neither applied nor pushed' },
  otp: { app: 'otp-worker', stops: 'codes are not generated' },
  chatapp: { app: 'chatapp-worker', stops: 'chat-app messages are not sent' },
} as const;

/** Live workers of a kind. */
export interface WorkerCount {
  fleet: string;
  workers: number;
}

/** Says for each kind of which no worker is live what does not happen, as a sentence without its full stop. */
export function missingWorkers(counts: readonly WorkerCount[]): string[] {
  const live = new Set(counts.flatMap(({ fleet, workers }) => (workers > 0 ? [fleet] : [])));
  return Object.entries(WORKER_KINDS).flatMap(([fleet, { app, stops }]) =>
    live.has(fleet) ? [] : [`No ${app} runs: ${stops}`],
  );
}
