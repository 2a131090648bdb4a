import { findTlsAdvice } from './tls-failure.ts';

/**
 * Retries of a process that starts before its database: for up to a minute. What a wait does not mend ends the start
 * immediately: a certificate that cannot be verified, or a missing file of certificates.
 */
export const START_RETRIES = {
  retryDelay: 1_000,
  retryAttempts: 60,
  toRetry: (error: NodeJS.ErrnoException): boolean =>
    findTlsAdvice(error) === undefined && error.code !== 'ENOENT',
};
