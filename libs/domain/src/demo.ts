/** The user and the account that `npm start` creates; its `demo.env` holds a key of this account. */
export const DEMO = { email: 'demo@signalbox.example', account: 'Demo' } as const;
