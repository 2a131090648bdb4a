/** Ids that several examples of /docs name. */
export const ACCOUNT_ID = '019e6f0a-1c20-7b3e-9a5d-3c0f8e7d2a10';
export const USER_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c92';
export const SUBMISSION_ID = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11';
export const MESSAGE_ID = `${SUBMISSION_ID}:1`;
export const INBOUND_ID = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66';
export const WEBHOOK_ID = '019e6f0b-11c2-7a55-9d3b-0c8e5f2a7714';
export const CONFIG_ID = '019e6f0b-2a44-7c10-8d21-5b7e9a0c4f13';
export const VERIFY_ID = '019e6f0c-7b1d-7e52-9c3a-1f2e3d4c5b6a';
