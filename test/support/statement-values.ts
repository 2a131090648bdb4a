/** The id of all rows in the calls. */
export const ID = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66';
export const NOW = new Date('2026-05-01T10:00:00Z');
export const KEY = { submissionId: ID, n: 1 };
